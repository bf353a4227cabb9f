export default function Page() {
  return <h1>Note</h1>
}
