export default function Fails() {
  return <p>never</p>
}
