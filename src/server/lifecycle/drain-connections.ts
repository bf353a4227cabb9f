import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { watchAnswers } from './last-responses.ts'
import { shortTurn, stopAccepting } from './stop-accepting.ts'

const CHECK_MS = 50
/**
 * Connections that are idle are closed once nothing has been asked or answered for half a second: a proxy that has just sent
 * a request cannot tell whether the server has taken it, and must not send a POST again.
 */
const QUIET_CHECKS = 10
/** Where some are always asking, those that are idle are closed after so many. */
const MOST_CHECKS = 40
const LONGEST_TURN_MS = 20

/** Ends a server without losing a request. */
export interface ConnectionDrain {
  /** From now on each answer is the last one of its connection, and says so: whoever asks goes elsewhere with the next. */
  begin(): void
  /** Takes no more connections, within a second. Those that are there stay. */
  stopListening(): Promise<void>
  /** Does both, and resolves when all connections have ended, or when only those are left on which an answer is under way. */
  drain(): Promise<void>
}

/**
 * Closes an instance so that no request is lost: it takes no more connections, those that are there bring one more request
 * each, and are closed behind its answer or when all is quiet. To be called before the instance listens. `close` ends
 * the listening of an instance that does not do it by itself.
 */
export function createDraining(app: FastifyInstance, close?: () => Promise<void>): ConnectionDrain {
  const { server } = app
  const { begin, sockets } = watchAnswers(server)
  let stopped: Promise<void> | null = null
  let drained: Promise<void> | null = null

  async function endConnections() {
    const quiet = listenForQuiet(server)
    let checks = 0
    const isTime = () => quiet.check() || ++checks > MOST_CHECKS
    // Node's own HTTP server closes the idle ones at once, as soon as it is told to close.
    while (sockets().length > 0 && !isTime()) {
      await wait(CHECK_MS)
      await shortTurn(LONGEST_TURN_MS)
    }
    // Of one that was answering nobody has heard that it ends with that.
    const closeIdle = () => {
      if (!isTime()) return
      server.closeIdleConnections()
      // Browsers open some ahead. To Node.js a request is on its way there, for which it no longer has a deadline.
      for (const socket of sockets()) if (socket.bytesRead === 0) socket.destroy()
    }
    const timer = setInterval(() => void shortTurn(LONGEST_TURN_MS).then(closeIdle), CHECK_MS).unref()
    server.once('close', () => {
      clearInterval(timer)
      quiet.stop()
    })
    closeIdle()
  }

  const draining: ConnectionDrain = {
    begin,
    stopListening() {
      stopped ??= whileHeld(server, sockets(), close ?? (() => stopAccepting(server)))
      return stopped
    },
    drain() {
      begin()
      drained ??= draining.stopListening().then(endConnections)
      return drained
    },
  }
  app.addHook('preClose', draining.drain)
  return draining
}

/**
 * Has a Fastify app of your own stop without losing a request. To be called before it listens. Returns what is to be called,
 * and awaited, before `app.close()`:
 *
 *     const drain = addDraining(app)
 *     process.once('SIGTERM', async () => {
 *       await drain()
 *       await app.close()
 *     })
 *
 * From that call on each answer says `Connection: close`. The listening socket is closed within a second, connections that the
 * system has taken by then are served, and idle ones are closed once nothing was asked for half a second, after 2 seconds at
 * most. The promise resolves then, while answers may still be under way: `app.close()` waits for them.
 */
export function addDraining(app: FastifyInstance): () => Promise<void> {
  return createDraining(app).drain
}

/** Reads no connection meanwhile, so that the event loop comes to what is done. */
async function whileHeld(server: Server, open: readonly Socket[], act: () => Promise<void>): Promise<void> {
  const held: Socket[] = []
  const hold = (socket: Socket) => {
    // Somebody else's pause is not to be ended here.
    if (socket.isPaused()) return
    socket.pause()
    held.push(socket)
  }
  // Node.js begins to read a new one in the next tick.
  const holdNew = (socket: Socket) => process.nextTick(hold, socket)
  for (const socket of open) hold(socket)
  server.on('connection', holdNew)
  await act()
  server.off('connection', holdNew)
  for (const socket of held) socket.resume()
}

/** `check` is to be called again and again: true when nothing was asked or answered between the last calls. */
function listenForQuiet(server: Server): { check(): boolean; stop(): void } {
  // Calls are counted and not time, as a process that was held up has read nothing meanwhile.
  let checks = -1
  // Costs nothing before, unlike a hook.
  const hear = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'server' in message && message.server === server) checks = -1
  }
  for (const channel of CHANNELS) subscribe(channel, hear)
  return {
    check: () => ++checks >= QUIET_CHECKS,
    stop() {
      for (const channel of CHANNELS) unsubscribe(channel, hear)
    },
  }
}

const CHANNELS = ['http.server.request.start', 'http.server.response.finish']
