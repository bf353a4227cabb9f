export function Message({ text }) {
  return <h1>{text}</h1>
}
