export default function Page() {
  return <h1>Streamed</h1>
}
