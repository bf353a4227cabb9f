/** A hundred rows, made anew for every request, as rows from a database would be. */
export async function load() {
  const rows = []
  for (let id = 1; id <= 100; id++) rows.push({ id, name: `Product number ${id}`, price: id * 3 + 0.95 })
  return { rows }
}
