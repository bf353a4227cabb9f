export default function Page() {
  return <h1>Whole</h1>
}
