export const hydrate = false

export default function Plain() {
  return <p id="there">plain</p>
}
