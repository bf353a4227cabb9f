import type { LoadContext } from 'hydrant'

/** Returns `count` rows (100). */
export function load({ request }: LoadContext<'/rows'>) {
  const { count = '100' } = request.query as { count?: string }
  return { rows: Array.from({ length: Number(count) }, (_, id) => ({ id, name: `Product number ${id}` })) }
}
