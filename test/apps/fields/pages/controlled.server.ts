let count = 0

export function action() {
  return { count: ++count }
}
