export default function Page() {
  return <h1>Not seen</h1>
}
