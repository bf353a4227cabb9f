export default function Box() {
  return <b id="box">box</b>
}
