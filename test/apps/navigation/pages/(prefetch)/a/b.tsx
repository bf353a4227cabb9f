export default function Page() {
  return <h1>B</h1>
}
