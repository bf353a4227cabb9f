export default function Page() {
  return <h1>one</h1>
}
