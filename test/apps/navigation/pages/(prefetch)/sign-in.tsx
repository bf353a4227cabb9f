export default function Page() {
  return <h1>Signed in</h1>
}
