export default function Page() {
  return <h1>Never</h1>
}
