import type { LoadContext } from 'hydrant'

/** Returns `count` rows. Fails in the load, or in the render after the last row, as `part` says. */
export function load({ request }: LoadContext<'/rows'>) {
  const { part, count } = request.query as { part?: string; count: string }
  const rows = Array.from({ length: Number(count) }, (_, id) => ({
    id,
    name: `Product number ${id}`,
    price: id * 3 + 0.95,
  }))
  if (part === 'load') throw new Error('The load throws.')
  return { part, rows }
}
