export function load(): never {
  throw new Error('the text of the failure')
}
