import { setTimeout as wait } from 'node:timers/promises'
import type { LoadContext } from 'hydrant'

/**
 * Returns `parts` promises that resolve one after another, `every` milliseconds apart. `fail=stream` rejects the
 * last.
 */
export function load({ request, signal }: LoadContext<'/stream'>) {
  const { parts = '3', every = '20', fail } = request.query as { parts?: string; every?: string; fail?: string }
  const count = Number(parts)
  return {
    parts: Array.from({ length: count }, async (_, index) => {
      await wait((index + 1) * Number(every), null, { signal })
      if (fail === 'stream' && index === count - 1) throw new Error('soak: the last part fails.')
      return `Part ${index} has come. ${'It has something to say. '.repeat(40)}`
    }),
  }
}
