import type { LoadContext } from 'hydrant'

/** A hundred rows. What is to fail: `load`, or `render` behind the last of them. */
export function load({ request }: LoadContext) {
  const { part } = request.query as { part?: string }
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `Product number ${id}`, price: id * 3 + 0.95 }))
  if (part === 'load') throw new Error('The load throws.')
  return { part, rows }
}
