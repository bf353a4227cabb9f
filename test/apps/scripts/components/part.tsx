export default function Part() {
  return <p id="part">the part</p>
}
