import type { LoadContext } from 'hydrant'
import { waitForever } from '../../../content/later.ts'

const CUT_MS = 1_000

export function load({ reply }: LoadContext<'/failures/f18/fail'>) {
  // As if a proxy or a network had done it.
  setTimeout(() => reply.raw.destroy(), CUT_MS)
  return { late: waitForever() }
}
