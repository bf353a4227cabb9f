export default function Fail() {
  return <h1>A page in a layout whose load fails</h1>
}
