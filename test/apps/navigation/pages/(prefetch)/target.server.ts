export function load() {
  return 1
}

export function action() {
  return { acted: true }
}
