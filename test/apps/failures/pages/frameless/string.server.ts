export function load() {
  return Promise.reject('text')
}
