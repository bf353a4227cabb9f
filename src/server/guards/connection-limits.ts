import type { FastifyInstance } from 'fastify'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import type { Options } from '../options/options.ts'
import { createHttpOptions } from './http-options.ts'
import { createClientErrorHandler } from './malformed-requests.ts'
import { addSlowReaderGuard } from './slow-readers.ts'

/** The deadlines and limits of a server's connections: what its Fastify is made with, and what is added to that then. */
export function createConnectionLimits(
  options: Pick<Options, 'timeouts' | 'limits'> & Partial<Pick<Options, 'logRequests'>>,
) {
  let app: FastifyInstance | null = null
  const clientErrors = createClientErrorHandler((details, message) => app?.log.info(details, message))
  return {
    fastifyOptions: { ...createHttpOptions(options), clientErrorHandler: clientErrors.handle },
    addTo(instance: FastifyInstance) {
      app = instance
      limitConnections(instance, options.limits.maxConnections)
      instance.addHook('onClose', (_app, done) => {
        clientErrors.stop()
        done()
      })
      addSlowReaderGuard(instance, options.timeouts.sendMs)
    },
  }
}

function limitConnections(app: FastifyInstance, maxConnections: number) {
  const countClosed = addThrottledLine(app, (count) =>
    app.log.warn(
      { closed: count },
      `closed ${countOf(count, 'new connection')}, because ${maxConnections} are open (find the clients that hold them, or raise limits.maxConnections)`,
    ),
  )
  app.server.maxConnections = maxConnections
  app.server.on('drop', countClosed)
}
