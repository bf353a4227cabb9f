import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { guardCaching } from '../http/caching.ts'
import { REQUEST_ID_HEADER } from '../http/headers.ts'
import { endAfterBody } from '../http/node-response.ts'
import { sendRefusal } from '../http/problem.ts'
import { hasSeveralHosts, pathOf } from '../http/request-url.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import type { Options } from '../options/options.ts'
import { createRedactor } from '../redaction/redact.ts'

const MAX_URL_BYTES = 8_192
const MAX_LOGGED = 200

/**
 * A segment `.` or `..`, in any spelling. Proxies resolve them before they compare a path with their rules, and pass them
 * on: `/admin/../admin/7` would pass a rule for `/admin/`. Browsers never send one.
 */
const DOT_SEGMENT = /(?:\/|%2f)(?:\.|%2e){1,2}(?=[/?#]|%2f|$)/i

/**
 * Adds the first hook of every request. It sets `x-request-id` and `nosniff`, and makes pipelined requests wait for
 * their turn. It refuses a URL that is too long (414) or has a segment `.` or `..` (400), a request of HTTP/1.1 without
 * `Host`, and a request with several (400). It lets clients receive a response that comes before their body has arrived.
 *
 * perf: one hook for all of this, 0.14 µs less for each other hook, commit 7b7c185a
 */
export function addFirstHook(app: FastifyInstance, { securityHeaders }: Pick<Options, 'securityHeaders'>) {
  const queue = createPipelineQueue(app)
  app.addHook('onRequest', (request, reply, done) => {
    const missing = reply.raw instanceof ServerResponse ? undefined : missingMethod(reply.raw)
    if (missing !== undefined) return done(createHydrantError('HYD_RESPONSE_INCOMPLETE', [missing]))
    guardCaching(reply.raw)
    // Guards and limits refuse a body before it has arrived.
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers
    if (length !== undefined || coding !== undefined) endAfterBody(request.raw)
    // Node.js sets `upgrade` only if something listens for upgrades. Its types do not have it.
    if (Reflect.get(request.raw, 'upgrade') === true) closeWhenRefused(request, reply)
    reply.header(REQUEST_ID_HEADER, request.id)
    // Keeps browsers from guessing a type other than `Content-Type`.
    if (securityHeaders) reply.header('x-content-type-options', 'nosniff')
    if (isQueued(reply.raw, request.raw)) queue.wait(request.raw, reply.raw, () => admit(request, reply, done))
    else admit(request, reply, done)
  })
}

function admit(request: FastifyRequest, reply: FastifyReply, done: () => void) {
  const { url, headers, raw } = request
  if (url.length > MAX_URL_BYTES)
    refuse(414, `a URL of ${url.length} bytes`, `The address is longer than ${MAX_URL_BYTES} bytes.`, reply)
  else if (DOT_SEGMENT.test(url) && DOT_SEGMENT.test(pathOf(url)))
    refuse(400, 'the path has a segment "." or ".."', 'The address is malformed.', reply)
  else if (headers.host === undefined && raw.httpVersion === '1.1' && raw.socket instanceof Socket)
    refuse(400, 'the request has no header "Host"', 'The request has no Host header.', reply)
  else if (hasSeveralHosts(raw))
    refuse(400, 'the request has several headers "Host"', 'The request has several Host headers.', reply)
  else done()
}

/** The methods of a response that Hydrant and Fastify use. A test or an adapter may pass an object of its own. */
const METHODS = [
  ...['on', 'once', 'emit', 'removeListener', 'write', 'end', 'writeHead'],
  ...['getHeader', 'getHeaders', 'getHeaderNames', 'hasHeader', 'setHeader', 'removeHeader'],
]

function missingMethod(response: object): string | undefined {
  return METHODS.find((name) => typeof Reflect.get(response, name) !== 'function')
}

/**
 * Closes the connection of an upgrade that gets a response in place of a protocol: Node.js no longer reads it.
 * `@fastify/websocket` does so only for requests that have reached its own hook.
 */
function closeWhenRefused({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply) {
  if (socket instanceof Socket) raw.once('finish', () => socket.destroySoon())
}

function refuse(status: number, reason: string, detail: string, reply: FastifyReply) {
  const { method, headers, originalUrl, log } = reply.request
  const url = createRedactor(headers)(originalUrl, { maxLength: MAX_LOGGED })
  log.info({ method, url, statusCode: status }, `refused with ${status}: ${reason}`)
  sendRefusal(status, detail, reply)
}

const MAX_WAITING = 100

/**
 * Whether Node.js sends the response only when those before it on the connection are complete: it has no socket till then.
 * A response of a test or an adapter, which call `app.routing`, never gets one.
 */
function isQueued({ socket }: ServerResponse, request: IncomingMessage): boolean {
  if (socket !== null) return false
  // Node's own record of the response that a connection sends.
  const { _httpMessage: current } = (request.socket ?? {}) as { _httpMessage?: ServerResponse | null }
  return current !== undefined && current !== null
}

/**
 * Makes pipelined requests wait until the response before them has been sent. Node.js delivers all of them at once, so a
 * client that never reads could have a thousand pages rendered. Closes a connection with more than `MAX_WAITING`
 * waiting requests.
 */
function createPipelineQueue(app: FastifyInstance) {
  const queues = new WeakMap<Socket, Set<ServerResponse>>()
  const countClosed = addThrottledLine(app, (count) =>
    app.log.info(
      { closed: count },
      `closed ${countOf(count, 'connection')} with more than ${MAX_WAITING} waiting requests`,
    ),
  )

  function queueOf(socket: Socket): Set<ServerResponse> {
    const known = queues.get(socket)
    if (known) return known
    const queue = new Set<ServerResponse>()
    queues.set(socket, queue)
    socket.once('close', () => queue.forEach(close))
    return queue
  }

  return {
    /** Calls `then` when the response has its socket. If the connection closes before, it closes the response. */
    wait({ socket }: IncomingMessage, response: ServerResponse, then: () => void) {
      if (socket.destroyed) return close(response)
      const queue = queueOf(socket)
      queue.add(response)
      response.once('socket', () => {
        queue.delete(response)
        if (!socket.destroyed) then()
      })
      if (queue.size <= MAX_WAITING) return
      countClosed()
      socket.destroy()
    },
  }
}

/** Does for a response without a socket what Node.js does for others when the connection closes. */
function close(response: ServerResponse) {
  response.destroyed = true
  response.emit('close')
}
