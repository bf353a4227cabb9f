import type { FastifyInstance } from 'fastify'
import { countOf, createThrottledLine } from '../log/throttled-line.ts'
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
      const stop = limitConnections(instance, options.limits.maxConnections)
      instance.addHook('onClose', (_app, done) => {
        clientErrors.stop()
        stop()
        done()
      })
      addSlowReaderGuard(instance, options.timeouts.sendMs)
    },
  }
}

function limitConnections({ server, log }: FastifyInstance, maxConnections: number): () => void {
  const line = createThrottledLine((count) =>
    log.warn(
      { closed: count },
      `closed ${countOf(count, 'new connection')}, because ${maxConnections} are open (find the clients that hold them, or raise limits.maxConnections)`,
    ),
  )
  server.maxConnections = maxConnections
  server.on('drop', line.count)
  return line.stop
}
