export default function Again() {
  return <p>again</p>
}
