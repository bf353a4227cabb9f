export default function Moved() {
  return null
}
