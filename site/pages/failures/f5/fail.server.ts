export function action(): { saved: boolean } {
  throw new Error('SECRET-MARKER f5: the action of the page fails')
}
