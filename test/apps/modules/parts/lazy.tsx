export default function Lazy() {
  return <b id="lazy">lazy</b>
}
