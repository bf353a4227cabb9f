import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a connection that has ended here is still read. */
const LINGER_MS = 2_000

/** Says in answers that their connection ends, once a server is told to stop. */
export interface LastAnswers {
  /** From now on each answer is the last one of its connection, and says so. */
  begin(): void
  /** The connections that are open. */
  sockets(): Socket[]
}

interface Connection {
  /** The answer to the request that was read last. */
  newest: ServerResponse | null
  /** The answer that says `Connection: close`. */
  last: ServerResponse | null
  /** Is every further request behind that answer? */
  isEnding: boolean
}

/**
 * Watches the requests of a server. To be called before it listens.
 *
 * An answer that says `Connection: close` ends its connection, so it must be the last one: of requests that were read
 * together (pipelining), the answer to the last of them says it. What is read later is not processed
 * (https://www.rfc-editor.org/rfc/rfc9112#section-9.6).
 */
export function watchAnswers(server: Server): LastAnswers {
  const connections = new Map<Socket, Connection>()
  let isStopping = false

  // The requests of a TLS server have a socket of their own.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { newest: null, last: null, isEnding: false })
    socket.once('close', () => connections.delete(socket))
    if (isStopping) endGently(socket)
  })
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection) connection.newest = response
  })

  function begin() {
    if (isStopping) return
    isStopping = true
    for (const [socket, connection] of connections) {
      endGently(socket)
      const { newest } = connection
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
      // Fastify says it itself once it is closing.
      if (connection && String(response.getHeader('connection')).toLowerCase() === 'close') connection.isEnding = true
    })
  }

  return { begin, sockets: () => [...connections.keys()] }
}

function makeLast(connection: Connection, response: ServerResponse) {
  if (connection.last) connection.last.shouldKeepAlive = true
  response.shouldKeepAlive = false
  connection.last = response
}

/** Returns false for a request that is behind the last answer. */
function admit(connection: Connection, response: ServerResponse): boolean {
  const { last } = connection
  // A handler has said that the connection stays, as that of a stream of events often does.
  if (last?.headersSent && last.shouldKeepAlive) Object.assign(connection, { last: null, isEnding: false })
  else if (connection.isEnding || last?.headersSent) return false
  makeLast(connection, response)
  // Requests that were read together come in one turn of the event loop.
  setImmediate(() => {
    connection.isEnding = true
  })
  return true
}

/**
 * Node.js closes a socket as soon as its last answer is written. If something has arrived that was not read, the system then
 * resets the connection, and the answer may be lost. So the socket is ended, and read until the other side ends it, too.
 */
function endGently(socket: Socket) {
  socket.destroySoon = () => {
    if (socket.destroyed) return
    socket.end()
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}
