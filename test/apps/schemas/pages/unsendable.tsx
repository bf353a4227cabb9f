export default function Unsendable() {
  return <p>never</p>
}
