import { Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const CHECK_MS = 2
const QUIET_CHECKS = 5
/** How long is waited for a moment in which nobody connects, and then for a turn of the event loop that is short. */
const LONGEST_QUIET_MS = 400
const LONGEST_TURN_MS = 200
/** An empty turn takes a tenth of it. */
const SHORT_TURN_MS = 0.05

/**
 * Closes a listening socket, within a second. The system resets the connections that wait in its queue then, and Node.js
 * accepts one in each turn of its event loop. So this waits until nobody has connected for some turns. Whoever calls it lets
 * no connection be read meanwhile: visitors who wait for an answer do not connect again.
 */
export async function stopAccepting(server: Server): Promise<void> {
  if (!server.listening) return
  let accepted = 0
  const count = () => {
    accepted++
  }
  server.on('connection', count)
  const startedAt = performance.now()
  for (let quiet = 0; quiet < QUIET_CHECKS && performance.now() - startedAt < LONGEST_QUIET_MS; ) {
    const before = accepted
    await wait(CHECK_MS)
    await turn()
    quiet = accepted === before ? quiet + 1 : 0
  }
  await shortTurn(LONGEST_TURN_MS, () => accepted)
  server.off('connection', count)
  // An HTTP server's own one closes idle connections, too.
  Server.prototype.close.call(server)
}

/**
 * Resolves behind a turn of the event loop in which everything was read that had arrived, and in which `count` stayed the same. What
 * arrives during the turn is not seen, so it is a short one. When there is none for `longestMs`, any turn will do.
 */
export async function shortTurn(longestMs: number, count: () => number = () => 0): Promise<void> {
  const startedAt = performance.now()
  for (let now = startedAt; now - startedAt < longestMs; ) {
    const before = count()
    const begunAt = now
    await turn()
    now = performance.now()
    if (now - begunAt <= SHORT_TURN_MS && count() === before) return
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
