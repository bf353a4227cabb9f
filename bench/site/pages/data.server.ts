/** Creates a hundred rows for each request, as a database query would. */
export async function load() {
  const rows = []
  for (let id = 1; id <= 100; id++) rows.push({ id, name: `Product number ${id}`, price: id * 3 + 0.95 })
  return { rows }
}
