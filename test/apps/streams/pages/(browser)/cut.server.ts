export function load() {
  return { later: new Promise(() => {}) }
}
