import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { CountedResponse } from '../http/counted-response.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import type { Options } from '../options/options.ts'
import { watchLateBodies } from './late-bodies.ts'
import { createClientErrorHandler } from './malformed-requests.ts'
import { addSlowReaderGuard, describeSlowReaders, endSlowReaders } from './slow-readers.ts'

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
