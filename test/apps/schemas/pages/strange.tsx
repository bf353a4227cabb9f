export default function Strange() {
  return <p>strange</p>
}
