export default function Page() {
  return <h1>Works</h1>
}
