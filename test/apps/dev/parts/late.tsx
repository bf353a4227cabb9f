import './late.css'

export default function Late() {
  return <b id="late">late</b>
}
