export function load() {
  throw new Error('the first')
}
