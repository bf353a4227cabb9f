import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { createConnectionLimits } from '../guards/connection-limits.ts'
import { isSafe } from '../guards/csrf.ts'
import { addFirstHook } from '../guards/first-hook.ts'
import { addRefusals, refuseMalformedUrl } from '../guards/refused-requests.ts'
import { pathOf } from '../http/request-url.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import { type AdminOptions, DEFAULT_ADMIN_PORT, type Options } from '../options/options.ts'
import { LAZY_COMPILERS } from '../util/fastify-internals.ts'
import { hasCode } from '../util/unknown-values.ts'
import { createAdminError, PORT_IN_USE } from './admin-port.ts'
import { addAccessControl, createAuth } from './auth.ts'
import { type CacheSource, createCacheReader } from './cache-report.ts'
import { addConsoleAndApi, addMetrics } from './console.ts'
import type { MetricsSource } from './metrics.ts'
import { createTimesWriter, type TimesWriter } from './times-writer.ts'

export interface AdminInput {
  admin: AdminOptions
  store: FailureStore
  metricsSource: MetricsSource
  cacheSource: CacheSource
  options: Pick<Options, 'ledger' | 'reactServer' | 'timeouts' | 'limits'>
  log: FastifyBaseLogger
}

export interface AdminListener {
  /** 0 if the default port is in use. */
  port: number
  /** Writes the times that are new to the ledger, also after `close`. */
  writeTimes(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the listener for operators: a port of its own, because one wrong rule of a proxy would make a path of the site
 * public. If no port is configured and the default port is in use, logs a warning and only writes the times. Throws
 * HYD_ADMIN_PORT_IN_USE and HYD_ADMIN_LISTEN_FAILED.
 */
export async function startAdmin(input: AdminInput): Promise<AdminListener> {
  const { log, admin, metricsSource, store } = input
  const times = createTimesWriter(metricsSource, store.ledger, log)
  const app = await createAdmin(input, times)
  try {
    await listen(app, admin)
  } catch (error) {
    if (admin.port !== null || !hasCode(error, PORT_IN_USE)) {
      await app.close()
      throw error
    }
    log.warn(
      `there is no console, because port ${DEFAULT_ADMIN_PORT} is in use: choose another port with --admin <port>, or turn the console off with --admin false`,
    )
  }
  return { port: portOf(app), writeTimes: times.flush, close: () => app.close() }
}

async function createAdmin(
  { admin, store, metricsSource, cacheSource, options, log }: AdminInput,
  times: TimesWriter,
): Promise<FastifyInstance> {
  const limits = createConnectionLimits(options)
  const app = Fastify({
    ...limits.fastifyOptions,
    loggerInstance: log,
    schemaController: LAZY_COMPILERS,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    // A process that was paused, or is starved of CPU time, must not end because the console took long.
    pluginTimeout: 0,
    frameworkErrors: refuseMalformedUrl,
  })
  limits.addTo(app)
  const auth = createAuth(admin)
  addFirstHook(app, { securityHeaders: true })
  addOperatorLog(app)
  addAccessControl(app, auth, () => (auth.isOpen ? allowedHosts(admin.host, app) : null))
  addRefusals(app)
  addMetrics(app, metricsSource, store.writer)
  // While workers are replaced, the first one has the newest build.
  const currentRelease = () => metricsSource.served()[0]?.release ?? ''
  const cache = { read: createCacheReader(cacheSource, metricsSource), empty: cacheSource.empty }
  app.addHook('onClose', times.close)
  await addConsoleAndApi(app, { ledgers: [store.ledger], times, cache, auth, currentRelease, options })
  await app.ready()
  return app
}

async function listen(app: FastifyInstance, { host, port }: AdminOptions) {
  const wanted = port ?? DEFAULT_ADMIN_PORT
  try {
    await app.listen({ host, port: wanted, listenTextResolver: (address) => `the console is at ${address}` })
  } catch (cause) {
    throw createAdminError(host, wanted, cause)
  }
}

const HTTP_PORT = 80

// Other sites cannot point these names to this machine.
function allowedHosts(host: string, app: FastifyInstance): string[] {
  const port = portOf(app)
  const name = host.includes(':') ? `[${host}]` : host.toLowerCase()
  const names = [...new Set(['localhost', '127.0.0.1', '[::1]', name])]
  return names.flatMap((name) => (port === HTTP_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`]))
}

function portOf({ server }: FastifyInstance): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/**
 * Logs the requests by which somebody signs in or changes something, one line each, with the client's address. Refused
 * ones, such as those with a wrong token, share one warning a minute, because everyone can send them.
 */
function addOperatorLog(app: FastifyInstance) {
  let last = ''
  const countRefused = addThrottledLine(app, (count) => {
    app.log.warn({ count }, `refused ${countOf(count, 'request')} to the console; the last one: ${last}`)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, ip } = request
    const { statusCode } = reply
    if (isRefused(request, reply)) {
      last = describe(request, statusCode)
      countRefused()
    } else if (!isSafe(method)) {
      const line = { method, url: pathOf(request.url), statusCode, ip }
      request.log.info(line, `console: ${describe(request, statusCode)}`)
    }
    done()
  })
}

// A request without a token that only reads is a new visitor, who gets the page to sign in.
function isRefused({ method, headers }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  const isClientError = statusCode >= 400 && statusCode < 500
  return isClientError && (!isSafe(method) || (statusCode === 401 && headers.authorization !== undefined))
}

function describe({ method, url, ip }: FastifyRequest, statusCode: number): string {
  return `${method} ${pathOf(url)} from ${ip}, status ${statusCode}`
}
