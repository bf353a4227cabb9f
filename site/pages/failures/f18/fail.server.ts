import type { LoadContext } from 'hydrant'
import { waitForever } from '../../../content/later.ts'

const CUT_MS = 4_000

export function load({ reply }: LoadContext<'/failures/f18/fail'>) {
  // Closes the connection, as a proxy or a network might.
  setTimeout(() => reply.raw.destroy(), CUT_MS)
  return { late: waitForever() }
}
