export default function Page() {
  return <h1 id="other">Other</h1>
}
