import type { LoadContext } from 'hydrant'

export async function load({ reply }: LoadContext<'/cookie'>) {
  await new Promise((resolve) => setImmediate(resolve))
  reply.header('set-cookie', 'late=1')
}
