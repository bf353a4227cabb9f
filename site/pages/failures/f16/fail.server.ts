import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { LoadContext } from 'hydrant'

const PARTS = 20

export function load({ request, signal }: LoadContext<'/failures/f16/fail'>) {
  signal.addEventListener('abort', () => request.log.debug('the visitor has gone; no more parts are made'))
  // Each part adds a listener, and Node.js warns of a leak from the eleventh listener on.
  setMaxListeners(PARTS + 1, signal)
  const parts = Array.from({ length: PARTS }, (_, index) =>
    // The signal stops the timer, as it stops a database query or a fetch.
    setTimeout(index * 500, `Part ${index + 1} of ${PARTS}`, { signal }),
  )
  return { parts }
}
