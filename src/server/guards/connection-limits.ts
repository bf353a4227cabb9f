import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyInstance, FastifyRequest } from 'fastify'
import { CountedResponse, currentResponse } from '../http/node-response.ts'
import { type RawRefusal, writeRefusal } from '../http/problem.ts'
import { addThrottledLine, countOf, createThrottledLine } from '../log/throttled-line.ts'
import type { Options } from '../options/options.ts'
import { hasCode } from '../util/unknown-values.ts'

type LimitOptions = Pick<Options, 'timeouts' | 'limits'> & Partial<Pick<Options, 'logRequests'>>

/**
 * Creates the deadlines and limits of a server's connections in two steps: `fastifyOptions` go to the Fastify factory,
 * and `addTo` adds the rest to the instance that it returns.
 */
export function createConnectionLimits(options: LimitOptions) {
  let app: FastifyInstance | null = null
  const clientErrors = createClientErrorHandler((details, message) => app?.log.info(details, message))
  return {
    fastifyOptions: { ...createHttpOptions(options), clientErrorHandler: clientErrors.handle },
    addTo(instance: FastifyInstance) {
      app = instance
      instance.addHook('onClose', async () => clientErrors.stop())
      limitConnections(instance, options.limits.maxConnections)
      watchLateBodies(instance, 'timeouts.requestMs')
      addSlowReaderGuard(instance, options.timeouts.sendMs)
    },
  }
}

function limitConnections(app: FastifyInstance, maxConnections: number) {
  const countClosed = addThrottledLine(app, (count) =>
    app.log.warn(
      { closed: count },
      `closed ${countOf(count, 'new connection')}, because ${maxConnections} are open (find the clients that hold them, or raise "limits.maxConnections")`,
    ),
  )
  app.server.maxConnections = maxConnections
  app.server.on('drop', countClosed)
}

const SHORTEST_CHECK_MS = 20
const LONGEST_CHECK_MS = 1_000

/** Gives a server that does not belong to Fastify the deadlines and limits. They may change while it runs. */
export function limitServer(server: Server, current: () => LimitOptions, write: (message: string) => void) {
  const clientErrors = createClientErrorHandler((_details, message) => write(message))
  const apply = () => {
    const { http, keepAliveTimeout } = createHttpOptions(current())
    const { headersTimeout, requestTimeout, maxHeaderSize } = http
    // Node reads the last one for each new connection. Its types have it only among the options of a server.
    Object.assign(server, { headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize })
    server.maxConnections = current().limits.maxConnections
  }
  apply()
  server.prependListener('connection', apply)
  server.on('drop', () =>
    write(`refused a new connection, because ${server.maxConnections} are open ("limits.maxConnections")`),
  )
  server.on('clientError', clientErrors.handle)
  watchLateBodies({ server }, 'timeouts.requestMs')
  const { sendMs } = current().timeouts
  const stop = endSlowReaders(server, sendMs, () => write(describeSlowReaders(1, sendMs)))
  server.on('close', () => {
    clientErrors.stop()
    stop()
  })
}

/** Returns the deadlines and limits as options of Fastify and of Node's HTTP server. */
export function createHttpOptions({ timeouts, limits, logRequests }: LimitOptions) {
  const { requestMs, keepAliveMs } = timeouts
  // Node throws if the deadline of the headers is later than that of the whole request.
  const headersMs = Math.min(timeouts.headersMs, requestMs)
  // By default Node checks its deadlines every 30 seconds: a deadline of 20 seconds would take up to 50.
  const checkMs = Math.max(SHORTEST_CHECK_MS, Math.min(LONGEST_CHECK_MS, Math.round(headersMs / 4)))
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // Node's response has neither a body nor a log line. The first hook refuses such requests.
      requireHostHeader: false,
      // Only the request log shows how many bytes a response has.
      ...(logRequests ? { ServerResponse: CountedResponse } : {}),
    },
    // A path parameter may be as long as its URL. Fastify's default is 100 characters.
    routerOptions: { maxParamLength: limits.maxHeaderBytes },
  }
}

/** How many checks in a row find a slow client. A delay of the event loop can only spoil one of them. */
const CHECKS = 4
const SHORTEST_PAUSE_MS = 20

interface Connection {
  /** Bytes that the system has accepted. */
  taken: number
  /** How many checks in a row found that data waits and that the system has accepted none since the previous check. */
  idleChecks: number
}

/**
 * Closes connections whose client reads none of the waiting data for `sendMs`. A connection without waiting data stays
 * open, however long it is silent: it may be an event stream. Node's own `server.timeout` would end it, and begins
 * again with each byte that the client sends.
 */
function addSlowReaderGuard(app: FastifyInstance, sendMs: number) {
  let remoteAddress: string | undefined
  const countEnded = addThrottledLine(app, (count) =>
    app.log.info({ ended: count, remoteAddress }, describeSlowReaders(count, sendMs)),
  )
  const stop = endSlowReaders(app.server, sendMs, (socket) => {
    remoteAddress = socket.remoteAddress
    countEnded()
  })
  app.addHook('onClose', async () => stop())
}

function describeSlowReaders(count: number, sendMs: number): string {
  return `closed ${countOf(count, 'connection')}, because the client read nothing of the response for ${sendMs} ms ("timeouts.sendMs")`
}

/** Starts the checks. Returns a function that stops them. */
function endSlowReaders(server: Server, sendMs: number, onEnd: (socket: Socket) => void): () => void {
  const connections = new Map<Socket, Connection>()

  server.on('connection', (socket) => {
    connections.set(socket, { taken: 0, idleChecks: 0 })
    socket.once('close', () => connections.delete(socket))
  })

  function check(socket: Socket, connection: Connection) {
    const taken = socket.writableLength === 0 ? 0 : readTaken(socket)
    connection.idleChecks = taken > 0 && taken === connection.taken ? connection.idleChecks + 1 : 0
    connection.taken = taken
    if (connection.idleChecks < CHECKS) return
    onEnd(socket)
    socket.destroy()
  }

  const timer = setInterval(
    () => {
      for (const [socket, connection] of connections) check(socket, connection)
    },
    Math.max(SHORTEST_PAUSE_MS, sendMs / CHECKS),
  ).unref()
  return () => clearInterval(timer)
}

/**
 * Returns how many bytes the system has accepted. A socket counts a large write only when it is complete, which may
 * take minutes. Its handle knows the progress; Node's own timeouts read it there, too.
 */
function readTaken(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

// Requests that Node's parser refuses. They never become a request for Fastify or the site.

const TOO_SLOW: RawRefusal = { status: 408, detail: 'The request took too long to arrive.' }
const TOO_LARGE: RawRefusal = { status: 431, detail: 'The headers of the request are too large.' }
const MALFORMED: RawRefusal = { status: 400, detail: 'The request is malformed.' }

/** The options that set the limits. Only the log names them. */
const OPTIONS = new Map([
  [TOO_SLOW, 'timeouts.headersMs" or "timeouts.requestMs'],
  [TOO_LARGE, 'limits.maxHeaderBytes'],
])

type WriteLine = (details: object, message: string) => void

/** What the line says about the last request of a kind. */
interface LastRequest {
  reason: string
  remoteAddress: string | undefined
}

interface RefusalLine {
  count(request: LastRequest): void
  stop(): void
}

/** Creates the throttled line of one kind of refusals. */
function createRefusalLine(refusal: RawRefusal, write: WriteLine, intervalMs?: number): RefusalLine {
  const { status, detail } = refusal
  const option = OPTIONS.get(refusal)
  const hint = option === undefined ? '' : `; see "${option}"`
  let last: LastRequest | null = null
  const { count, stop } = createThrottledLine((refused) => {
    const message = `refused with ${status}: ${detail} (${countOf(refused, 'request')}${hint})`
    write({ statusCode: status, refused, ...last }, message)
  }, intervalMs)
  return {
    count(request) {
      last = request
      count()
    },
    stop,
  }
}

/** Creates the listener that responds to malformed requests, closes their connections and logs them, throttled. */
export function createClientErrorHandler(write: WriteLine, intervalMs?: number) {
  const lines = new Map<RawRefusal, RefusalLine>()

  function log(refusal: RawRefusal, error: ConnectionError, { remoteAddress }: Socket) {
    const line = lines.get(refusal) ?? createRefusalLine(refusal, write, intervalMs)
    lines.set(refusal, line)
    line.count({ reason: error.code, remoteAddress })
  }

  return {
    handle(error: ConnectionError, socket: Socket) {
      // The request has been refused already. More data causes the same error again.
      if (socket.writableEnded || socket.destroyed) return
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      // Browsers open connections in advance. They would take the refusal for the response to the request they send
      // next.
      if (socket.bytesRead === 0) return void socket.destroy()
      const refusal = refusalOf(error)
      log(refusal, error, socket)
      // After a part of another response, the refusal would be taken for the rest of it.
      if (currentResponse(socket)?.headersSent) return void socket.destroy()
      writeRefusal(socket, refusal)
    },
    stop() {
      for (const line of lines.values()) line.stop()
    },
  }
}

function refusalOf({ code }: ConnectionError): RawRefusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return TOO_SLOW
    case 'HPE_HEADER_OVERFLOW':
      return TOO_LARGE
    default:
      return MALFORMED
  }
}

/** The limit, in words, of each connection that is closed because a request did not arrive in time. */
const limits = new WeakMap<Socket, string>()

/**
 * Remembers on which connections a request did not arrive in time. Node.js emits an event for them, and then they are
 * closed.
 *
 * @param option The name of the option that sets the limit.
 */
export function watchLateBodies({ server }: Pick<FastifyInstance, 'server'>, option: string) {
  server.on('clientError', (error, socket: Socket) => {
    if (hasCode(error, 'ERR_HTTP_REQUEST_TIMEOUT')) limits.set(socket, `${server.requestTimeout} ms ("${option}")`)
  })
}

/** Says why the connection of a request was closed before its response was complete. */
export function describeEarlyClose({ raw }: FastifyRequest): string {
  const limit = raw.complete ? undefined : limits.get(raw.socket)
  return limit === undefined
    ? 'the client disconnected before the response was complete'
    : `the connection was closed, because the body of the request did not arrive within ${limit}`
}
