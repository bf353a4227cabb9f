export const prerender = true
export const hydrate = false

export default function Plain() {
  return <h1>Plain</h1>
}
