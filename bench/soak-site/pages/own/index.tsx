export default function Own(): never {
  throw new Error('soak: a page with an error page of its own throws.')
}
