export default function Page() {
  return <p>never</p>
}
