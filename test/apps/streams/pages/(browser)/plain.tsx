export default function Page() {
  return <p id="plain">plain</p>
}
