import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { watchResponses } from './last-responses.ts'
import { shortTurn, stopAccepting } from './stop-accepting.ts'
import { closeUnused } from './unused-connections.ts'

const CHECK_MS = 50
/**
 * Idle connections are closed when no request has begun and no response has ended for half a second. A proxy that has
 * just sent a POST when its connection is closed cannot know whether the server has read it, and must not send it
 * again.
 */
const QUIET_CHECKS = 10
/** On a server that is never quiet, idle connections are closed after this number of checks: 2 seconds. */
const MAX_CHECKS = 40
const MAX_TURN_MS = 20

/** Stops a server without losing a request. */
export interface ConnectionDrain {
  /** From now on each response is the last one of its connection, and says `Connection: close`. */
  endKeepAlive(): void
  /** Closes the listening socket, within a second. Open connections stay open. */
  stopListening(): Promise<void>
  /** Calls both methods above. Resolves when all connections have ended, except those with a response in progress. */
  drain(): Promise<void>
  /** Returns the open connections. */
  sockets(): Socket[]
}

/**
 * Makes an app stop without losing a request: it takes no new connections, and closes each open one after its next
 * response or when the server is quiet. Must be called before the app listens. `stopListening` replaces the closing of
 * the app's own listening socket.
 */
export function createConnectionDrain(app: FastifyInstance, stopListening?: () => Promise<void>): ConnectionDrain {
  const { server } = app
  const { endKeepAlive, sockets } = watchResponses(server)
  let stopped: Promise<void> | null = null
  let drained: Promise<void> | null = null

  async function closeConnections() {
    const quiet = watchForQuiet(server)
    let checks = 0
    const isTime = () => quiet.check() || ++checks > MAX_CHECKS
    // Node's HTTP server closes idle connections as soon as it is closed. So this waits before Fastify closes it.
    while (sockets().length > 0 && !isTime()) {
      await wait(CHECK_MS)
      await shortTurn(MAX_TURN_MS)
    }
    // A connection whose response began before the drain is idle afterwards, as that response did not say that it
    // closes.
    const closeIdle = () => {
      if (!isTime()) return
      server.closeIdleConnections()
      closeUnused(sockets())
    }
    const timer = setInterval(() => void shortTurn(MAX_TURN_MS).then(closeIdle), CHECK_MS).unref()
    server.once('close', () => {
      clearInterval(timer)
      quiet.stop()
    })
    closeIdle()
  }

  const connections: ConnectionDrain = {
    endKeepAlive,
    sockets,
    stopListening() {
      stopped ??= whilePaused(server, sockets(), stopListening ?? (() => stopAccepting(server)))
      return stopped
    },
    drain() {
      endKeepAlive()
      drained ??= connections.stopListening().then(closeConnections)
      return drained
    },
  }
  app.addHook('preClose', connections.drain)
  return connections
}

/**
 * Makes a Fastify app of your own stop without losing a request. Call it before the app listens. Call and await the
 * function that it returns before `app.close()`:
 *
 *     const drain = addDraining(app)
 *     process.once('SIGTERM', async () => {
 *       await drain()
 *       await app.close()
 *     })
 *
 * From the call of `drain` on, each response has `Connection: close`. The listening socket is closed within a second,
 * and connections that the system has accepted by then are served. Idle connections are closed when no request has
 * arrived for half a second, and after 2 seconds at most. Then the promise resolves. Responses may still be in
 * progress: `app.close()` waits for them.
 */
export function addDraining(app: FastifyInstance): () => Promise<void> {
  return createConnectionDrain(app).drain
}

/** Calls `act`, and reads no connection until its promise settles, so that the event loop has time for `act`. */
async function whilePaused(server: Server, open: readonly Socket[], act: () => Promise<void>): Promise<void> {
  const paused: Socket[] = []
  const pause = (socket: Socket) => {
    // A socket that other code has paused must stay paused.
    if (socket.isPaused()) return
    socket.pause()
    paused.push(socket)
  }
  // Node.js begins to read a new connection in the next tick.
  const pauseNew = (socket: Socket) => process.nextTick(pause, socket)
  for (const socket of open) pause(socket)
  server.on('connection', pauseNew)
  try {
    await act()
  } finally {
    server.off('connection', pauseNew)
    for (const socket of paused) socket.resume()
  }
}

interface QuietWatch {
  /** Returns true when no request has begun and no response has ended during the last `QUIET_CHECKS` calls. */
  check(): boolean
  stop(): void
}

function watchForQuiet(server: Server): QuietWatch {
  // Counts calls instead of time: a process whose event loop was blocked has read no requests in that time.
  let checks = -1
  // perf: a diagnostics channel costs nothing before the drain, 0.14 µs less than a hook for each request,
  // commit 7b7c185a
  const restart = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'server' in message && message.server === server) checks = -1
  }
  for (const channel of CHANNELS) subscribe(channel, restart)
  return {
    check: () => ++checks >= QUIET_CHECKS,
    stop() {
      for (const channel of CHANNELS) unsubscribe(channel, restart)
    },
  }
}

const CHANNELS = ['http.server.request.start', 'http.server.response.finish']
