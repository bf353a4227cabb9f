import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { EVENTS_TYPE } from '../../shared/wire/navigation-protocol.ts'

type Callback = (error?: Error | null) => void

/** A response of Node.js that counts the bytes of its body: one that is sent in parts has no `Content-Length`. */
export class CountedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  bodyBytes = 0

  override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    this.bodyBytes += sizeOf(chunk, encoding)
    // Node accepts a callback as the second argument. Its types express that in overloads.
    return super.write(chunk, encoding as BufferEncoding, callback as Callback)
  }

  override end(chunk?: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): this {
    this.bodyBytes += sizeOf(chunk, encoding)
    // `end` has the overloads of `write`.
    return super.end(chunk, encoding as BufferEncoding, callback as Callback)
  }
}

function sizeOf(chunk: unknown, encoding?: BufferEncoding | Callback): number {
  if (typeof chunk === 'string') return Buffer.byteLength(chunk, typeof encoding === 'string' ? encoding : 'utf8')
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}

const WITHOUT_BODY = [204, 304]

/**
 * Returns how many bytes of the body were written to the connection. For a response that does not count, it is the
 * `Content-Length`; undefined if there is none.
 */
export function bodyBytesOf(raw: ServerResponse, method: string): number | undefined {
  if (method === 'HEAD' || WITHOUT_BODY.includes(raw.statusCode)) return 0
  if (raw instanceof CountedResponse) return raw.bodyBytes
  const length = raw.getHeader('content-length')
  return length === undefined ? undefined : Number(length)
}

/** Whether a response is a stream of events, which lasts for as long as the client listens. */
export function isEventStream(reply: FastifyReply): boolean {
  const type = reply.getHeader('content-type') ?? reply.raw.getHeader('content-type')
  return String(type).startsWith(EVENTS_TYPE)
}

/** Whether the client has left before its response was complete. Leaving is the normal end of a stream of events. */
export function wasAborted(reply: FastifyReply): boolean {
  return !reply.raw.writableFinished && !(reply.raw.headersSent && isEventStream(reply))
}

/** A connection that was ended here is read for as long as the client sends something within these milliseconds. */
const LINGER_MS = 2_000
/** It is closed after this number of them, when the client has sent its body for 30 seconds. */
const MAX_LINGERS = 15

/**
 * Ends a socket after its last response, and reads it until the client ends it too, for `LINGER_MS` at most: the server
 * stops. Node.js would close the socket as soon as the response is written. If unread data has arrived then, the system
 * resets the connection, and the client may lose the response.
 */
export function endGently(socket: Socket) {
  if (socket.writableEnded) linger(socket, 1)
  else socket.destroySoon = () => linger(socket, 1)
}

/** The newest request of each watched socket, until it is closed: an open connection would keep the visitor's form. */
const newest = new WeakMap<Socket, IncomingMessage | null>()

/** Ends the socket of a request gently if the response is sent before the body has arrived. */
export function endAfterBody(request: IncomingMessage) {
  const { socket } = request
  // A socket of HTTP/2 has many requests, and must not be changed. A request that a test made may have none.
  if (request.httpVersionMajor !== 1 || !(socket instanceof Socket)) return
  if (!newest.has(socket)) watchEnd(socket)
  newest.set(socket, request)
  request.once('close', () => {
    if (newest.get(socket) === request) newest.set(socket, null)
  })
}

function watchEnd(socket: Socket) {
  const { destroySoon } = socket
  socket.destroySoon = () => {
    if (newest.get(socket)?.complete === false) linger(socket, MAX_LINGERS)
    else destroySoon.call(socket)
  }
}

function linger(socket: Socket, maxLingers: number) {
  if (socket.destroyed) return
  socket.end()
  socket.resume()
  let lingers = 0
  let { bytesRead } = socket
  const timer = setInterval(() => {
    if (++lingers >= maxLingers || socket.bytesRead === bytesRead) socket.destroy()
    bytesRead = socket.bytesRead
  }, LINGER_MS)
  socket.once('close', () => clearInterval(timer))
}

/** Returns the response that a connection sends now; null if there is none. */
export function currentResponse(socket: Socket): ServerResponse | null {
  // Node.js keeps it in `_httpMessage` and offers no public way to read it.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null }
  return response ?? null
}
