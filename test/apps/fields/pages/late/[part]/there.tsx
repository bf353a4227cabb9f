export default function Page() {
  return <h1>There</h1>
}
