import type { LoadContext } from 'hydrant'

export function load({ reply }: LoadContext<'/stored'>) {
  reply.header('cache-control', 'public, max-age=60')
  return { a: 1 }
}
