export function load() {
  return { late: new Promise((resolve) => setTimeout(resolve, 50)) }
}
