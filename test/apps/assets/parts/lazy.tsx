export default function Part() {
  return <b id="part">part</b>
}
