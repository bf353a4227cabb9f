let loads = 0
let actions = 0

export const revalidate = false

export function load() {
  return ++loads
}

export function action() {
  return `action ${++actions}`
}
