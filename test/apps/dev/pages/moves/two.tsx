export default function Page() {
  return <h1>two</h1>
}
