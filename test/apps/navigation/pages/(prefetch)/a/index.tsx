export default function Page() {
  return <h1>A</h1>
}
