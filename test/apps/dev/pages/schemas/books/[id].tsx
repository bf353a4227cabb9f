export default function Page() {
  return <p id="book">book</p>
}
