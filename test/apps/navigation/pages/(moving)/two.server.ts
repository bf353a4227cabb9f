export function action() {
  return { sent: true }
}
