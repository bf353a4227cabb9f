export function load() {
  return Promise.reject()
}
