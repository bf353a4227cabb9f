export default function Guarded() {
  return <h1>Guarded</h1>
}
