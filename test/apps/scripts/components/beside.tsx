export default function Beside() {
  return <p>other</p>
}
