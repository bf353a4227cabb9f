import type { LoadContext } from 'hydrant'

/** So many rows. What is to fail: `load`, or `render` behind the last of them. */
export function load({ request }: LoadContext) {
  const { part, count } = request.query as { part?: string; count: string }
  const rows = Array.from({ length: Number(count) }, (_, id) => ({
    id,
    name: `Product number ${id}`,
    price: id * 3 + 0.95,
  }))
  if (part === 'load') throw new Error('The load throws.')
  return { part, rows }
}
