import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const CHECK_MS = 50

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
    const timer = setInterval(closeUnused, CHECK_MS, sockets).unref()
    server.once('close', () => clearInterval(timer))
  })
}
