import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endGently } from '../http/end-gently.ts'

/** Watches the responses of a server, so that it can end its connections with them. */
export interface ResponseWatch {
  /** From now on each response is the last one of its connection, and says `Connection: close`. */
  endKeepAlive(): void
  /** Returns the open connections. */
  sockets(): Socket[]
}

interface Connection {
  /** The response to the request that was read last. */
  newest: ServerResponse | null
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
export function watchResponses(server: Server): ResponseWatch {
  const connections = new Map<Socket, Connection>()
  let isStopping = false

  // On a TLS server, requests name the TLS socket.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { newest: null, last: null, isEnding: false })
    socket.once('close', () => connections.delete(socket))
    if (isStopping) endGently(socket)
  })
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection) connection.newest = response
  })

  function endKeepAlive() {
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
      // Fastify sets this header itself once it is closing.
      if (connection && String(response.getHeader('connection')).toLowerCase() === 'close') connection.isEnding = true
    })
  }

  return { endKeepAlive, sockets: () => [...connections.keys()] }
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
