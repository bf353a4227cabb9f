export function load() {
  return { later: new Promise((resolve) => setTimeout(resolve, 20)) }
}
