export default function Views() {
  return null
}
