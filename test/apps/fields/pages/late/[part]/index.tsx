export default function Page() {
  return <h1>Here</h1>
}
