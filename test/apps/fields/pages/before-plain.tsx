export const hydrate = false

export default function Plain() {
  return <button type="button">Plain</button>
}
