import type { LoadContext } from 'hydrant'

/** So many rows: a hundred, or as many as are asked for. */
export function load({ request }: LoadContext) {
  const { count = '100' } = request.query as { count?: string }
  return { rows: Array.from({ length: Number(count) }, (_, id) => ({ id, name: `Product number ${id}` })) }
}
