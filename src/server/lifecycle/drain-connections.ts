import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { currentResponse, endGently } from '../http/node-response.ts'

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

function watchForQuiet(server: Server) {
  // Counts calls instead of time: a process whose event loop was blocked has read no requests in that time.
  let checks = -1
  // perf: a diagnostics channel costs nothing before the drain, 0.14 µs less than a hook for each request,
  // commit 7b7c185a
  const restart = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'server' in message && message.server === server) checks = -1
  }
  for (const channel of CHANNELS) subscribe(channel, restart)
  return {
    /** Returns true when no request has begun and no response has ended during the last `QUIET_CHECKS` calls. */
    check: () => ++checks >= QUIET_CHECKS,
    stop() {
      for (const channel of CHANNELS) unsubscribe(channel, restart)
    },
  }
}

const CHANNELS = ['http.server.request.start', 'http.server.response.finish']

interface Connection {
  /** The response to the request that was read last, if this was read while another response was in progress. */
  pipelined: ServerResponse | null
  /** The response that says `Connection: close`. */
  last: ServerResponse | null
  /** Are further requests left without a response, because they came after the last one that gets a response? */
  isEnding: boolean
}

/**
 * Watches the responses of a server. Must be called before the server listens.
 *
 * A response that says `Connection: close` ends its connection, so it must be the last one. When several requests were
 * read together (pipelining), the response to the last of them says it. Requests that are read later are not processed
 * (https://www.rfc-editor.org/rfc/rfc9112#section-9.6).
 */
export function watchResponses(server: HttpServer) {
  const connections = new Map<Socket, Connection>()
  let isStopping = false

  // On a TLS server, requests name the TLS socket.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { pipelined: null, last: null, isEnding: false })
    socket.once('close', () => connections.delete(socket))
    if (isStopping) endGently(socket)
  })
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    // Otherwise an idle connection would keep its last request: 4 kB, with the visitor's cookies.
    if (connection) connection.pipelined = currentResponse(socket) === response ? null : response
  })

  function endKeepAlive() {
    if (isStopping) return
    isStopping = true
    for (const [socket, connection] of connections) {
      endGently(socket)
      const newest = connection.pipelined ?? currentResponse(socket)
      if (newest === null || newest.headersSent) continue
      makeLast(connection, newest)
      connection.isEnding = true
    }
    const listeners = server.listeners('request')
    server.removeAllListeners('request')
    server.on('request', (request, response) => {
      const connection = connections.get(request.socket)
      if (connection && !admit(connection, response)) return void request.resume()
      for (const listener of listeners) listener.call(server, request, response)
      // Fastify sets this header itself once it is closing.
      if (connection && String(response.getHeader('connection')).toLowerCase() === 'close') connection.isEnding = true
    })
  }

  return {
    /** From now on each response is the last one of its connection, and says `Connection: close`. */
    endKeepAlive,
    sockets: () => [...connections.keys()],
  }
}

function makeLast(connection: Connection, response: ServerResponse) {
  if (connection.last) connection.last.shouldKeepAlive = true
  response.shouldKeepAlive = false
  connection.last = response
}

/** Returns false for a request that came after the last response of its connection. */
function admit(connection: Connection, response: ServerResponse): boolean {
  const { last } = connection
  // A handler has kept the connection open with a header of its own, as handlers of event streams often do.
  if (last?.headersSent && last.shouldKeepAlive) Object.assign(connection, { last: null, isEnding: false })
  else if (connection.isEnding || last?.headersSent) return false
  makeLast(connection, response)
  // Requests that were read together arrive in one turn of the event loop.
  setImmediate(() => {
    connection.isEnding = true
  })
  return true
}

const ACCEPT_CHECK_MS = 2
const QUIET_ACCEPT_CHECKS = 5
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
  for (let quiet = 0; quiet < QUIET_ACCEPT_CHECKS && performance.now() - startedAt < MAX_QUIET_WAIT_MS; ) {
    const before = accepted
    await wait(ACCEPT_CHECK_MS)
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

const UNUSED_CHECK_MS = 50

/**
 * Closes connections that have carried no request. Browsers open some ahead. Node.js does not count them as idle, and
 * enforces no deadlines after the server is closed, so `app.close()` would wait for the browser.
 */
export function closeUnused(sockets: Iterable<Socket>): void {
  // The TLS socket of a connection has not read the bytes of the handshake.
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
}

/**
 * Lets an app close although connections are open that have carried no request. Must be called before the app listens. In
 * an app with `addDraining` these connections still get a response, because Fastify runs the hooks of the app before those
 * of the plugin.
 */
export function closeUnusedConnections(app: FastifyInstance): void {
  const { server } = app
  const sockets = new Set<Socket>()
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    closeUnused(sockets)
    // The app listens until all of these hooks have run.
    const timer = setInterval(closeUnused, UNUSED_CHECK_MS, sockets).unref()
    server.once('close', () => clearInterval(timer))
  })
}
