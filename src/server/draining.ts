import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Connections that are kept are closed once none of them has brought anything for half a second: a proxy that has just sent a request
 * cannot tell whether the server has taken it, and must not send a POST again.
 */
const QUIET_CHECKS = 10
const CHECK_MS = 50

/**
 * Closes an instance so that no request is lost: it takes no more connections, those that are there bring one more request
 * each, and are closed behind its answer or when all is quiet.
 */
export function addDraining(app: FastifyInstance) {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    const { server } = app
    await stopListening(app)
    const quiet = listenForQuiet(server)
    // Node's own HTTP server closes the idle ones at once, as soon as it is told to close.
    while ((await countConnections(server)) > 0 && !quiet.check()) {
      await wait(CHECK_MS)
      await untilRead()
    }
    // Of one that was answering nobody has heard that it ends with that.
    const closeIdle = () => {
      if (!quiet.check()) return
      server.closeIdleConnections()
      // Browsers open some ahead. To Node.js a request is on its way there, for which it no longer has a deadline.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    const timer = setInterval(() => void untilRead().then(closeIdle), CHECK_MS).unref()
    server.once('close', () => {
      clearInterval(timer)
      quiet.stop()
    })
  })
}

/** As many as wait to be accepted at most: Node.js tells the system so (https://nodejs.org/api/net.html#serverlisten). */
const BACKLOG = 511

/** Takes no more connections; those that are there stay. */
export async function stopListening({ server }: FastifyInstance) {
  if (!server.listening) return
  // Node.js accepts one in each turn, and those that wait when it closes are cut off.
  let isEmpty = false
  const hear = () => {
    isEmpty = false
  }
  server.on('connection', hear)
  for (let count = 0; count <= BACKLOG && !isEmpty; count++) {
    isEmpty = true
    await untilRead()
  }
  server.off('connection', hear)
  Server.prototype.close.call(server)
}

/** An empty turn takes a tenth of it. */
const SHORT_TURN_MS = 0.05
/** On a machine that is so busy that there is none, one may take twice as long after so many. */
const PATIENCE_TURNS = 100

/**
 * Resolves when what has arrived by now has been read: what has not when its connection is closed is cut off. What comes
 * within the last turn is not seen, so that is a short one.
 */
async function untilRead() {
  for (let turn = 0; ; turn++) {
    const startedAt = performance.now()
    await new Promise(setImmediate)
    if (performance.now() - startedAt <= SHORT_TURN_MS * 2 ** (turn / PATIENCE_TURNS)) return
  }
}

/** From now on each answer is the last one of its connection, and says so: whoever asks goes elsewhere with the next. */
export function endConnections({ server }: FastifyInstance) {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
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

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
