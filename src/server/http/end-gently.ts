import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/** Milliseconds that a connection which was ended here is still read. */
const LINGER_MS = 2_000

/**
 * Ends a socket after its last response, and reads it until the client ends it too. Node.js would close the socket as
 * soon as the response is written. If unread data has arrived then, the system resets the connection, and the client
 * may lose the response.
 */
export function endGently(socket: Socket) {
  socket.destroySoon = () => linger(socket)
}

/** The newest request of each watched socket. */
const newest = new WeakMap<Socket, IncomingMessage>()

/** Ends the socket of a request gently if the response is sent before the body has arrived. */
export function endAfterBody(request: IncomingMessage) {
  const { socket } = request
  // A socket of HTTP/2 has many requests, and must not be changed. A request that a test made may have none.
  if (request.httpVersionMajor !== 1 || !(socket instanceof Socket)) return
  const isWatched = newest.has(socket)
  newest.set(socket, request)
  if (isWatched) return
  const { destroySoon } = socket
  socket.destroySoon = () => {
    if (newest.get(socket)?.complete === false) linger(socket)
    else destroySoon.call(socket)
  }
}

function linger(socket: Socket) {
  if (socket.destroyed) return
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
