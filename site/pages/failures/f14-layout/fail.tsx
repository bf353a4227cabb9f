export default function Fail() {
  return <h1>A page in a layout that fails</h1>
}
