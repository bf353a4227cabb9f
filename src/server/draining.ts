import { Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * For 200 ms a connection that is kept alive may bring the request that was on its way when the server was told to stop: a
 * proxy cannot tell whether the server has taken it, and must not send a POST again.
 */
const CHECKS = 4
const CHECK_MS = 50

/**
 * Closes an instance so that no request is lost: it takes no more connections, those that are there bring one more request
 * each, and are closed behind its answer or once they have been idle.
 */
export function addDraining(app: FastifyInstance) {
  app.addHook('preClose', async () => {
    const { server } = app
    if (!server.listening) return
    // Node's own HTTP server would close the idle ones at once.
    Server.prototype.close.call(server)
    // Counted, as a process that was held up has read nothing meanwhile.
    for (let count = 0; count < CHECKS && (await countConnections(server)) > 0; count++) await wait(CHECK_MS)
    // Of one that is answering nobody has heard that it ends with that.
    const timer = setInterval(() => server.closeIdleConnections(), CHECK_MS).unref()
    server.once('close', () => clearInterval(timer))
  })
}

/** From now on each answer is the last one of its connection, and says so: whoever asks goes elsewhere with the next. */
export function endConnections({ server }: FastifyInstance) {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
