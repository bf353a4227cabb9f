import { Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const CHECK_MS = 2
const QUIET_CHECKS = 5
/** Milliseconds to wait until no client connects. */
const MAX_QUIET_WAIT_MS = 400
/** Milliseconds to wait, after that, for a short turn of the event loop. */
const MAX_TURN_WAIT_MS = 200
/** An empty turn takes a tenth of it. */
const SHORT_TURN_MS = 0.05

/**
 * Closes a listening socket, within a second, without losing a connection. The system resets the connections that still
 * wait in its queue when the socket is closed, and Node.js accepts only one of them in each turn of its event loop. So
 * this waits until no client has connected for some turns. The caller must stop reading the open connections in the
 * meantime: a client that waits for a response opens no further connection.
 */
export async function stopAccepting(server: Server): Promise<void> {
  if (!server.listening) return
  let accepted = 0
  const count = () => {
    accepted++
  }
  server.on('connection', count)
  const startedAt = performance.now()
  for (let quiet = 0; quiet < QUIET_CHECKS && performance.now() - startedAt < MAX_QUIET_WAIT_MS; ) {
    const before = accepted
    await wait(CHECK_MS)
    await turn()
    quiet = accepted === before ? quiet + 1 : 0
  }
  await shortTurn(MAX_TURN_WAIT_MS, () => accepted)
  server.off('connection', count)
  // The `close` of an HTTP server closes idle connections as well.
  Server.prototype.close.call(server)
}

/**
 * Resolves after a turn of the event loop in which all data that had arrived was read, and in which `count` did not
 * change. Data that arrives during the turn is not seen, so the turn has to be short. Resolves after any turn once
 * `longestMs` have passed.
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
