export default function Page() {
  return <p>caught</p>
}
