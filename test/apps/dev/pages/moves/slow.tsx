export default function Page() {
  return <h1>slow</h1>
}
