import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { createConnectionLimits } from '../guards/connection-limits.ts'
import { addFirstHook } from '../guards/first-hook.ts'
import { addRefusals, refuseMalformedUrl } from '../guards/unrouted-requests.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import { type AdminOptions, DEFAULT_ADMIN_PORT } from '../options/admin-address.ts'
import type { Options } from '../options/options.ts'
import { hasCode } from '../util/has-code.ts'
import { LAZY_COMPILERS } from '../util/lazy-compilers.ts'
import { addAccessControl } from './access.ts'
import { createAdminError, PORT_IN_USE } from './admin-port.ts'
import { createAuth } from './auth.ts'
import { type CacheSource, createCacheReader } from './cache-report.ts'
import type { MetricsSource } from './metrics.ts'
import { addOperatorLog } from './operator-log.ts'
import { addConsoleAndApi, addMetrics } from './routes.ts'

export interface AdminInput {
  admin: AdminOptions
  store: FailureStore
  metricsSource: MetricsSource
  cacheSource: CacheSource
  /** The options of the site. */
  options: Pick<Options, 'ledger' | 'reactServer' | 'timeouts' | 'limits'>
  log: FastifyBaseLogger
}

export interface AdminListener {
  port: number
  close(): Promise<void>
}

/**
 * Opens the listener for operators. Returns null, and logs a warning, if no port is configured and the default port is
 * in use. Throws HYD_ADMIN_PORT_IN_USE and HYD_ADMIN_LISTEN_FAILED.
 */
export async function startAdmin(input: AdminInput): Promise<AdminListener | null> {
  const app = await createAdmin(input)
  const { log, admin } = input
  try {
    await listen(app, admin)
  } catch (error) {
    await app.close()
    if (admin.port !== null || !hasCode(error, PORT_IN_USE)) throw error
    log.warn(
      `there is no console, because port ${DEFAULT_ADMIN_PORT} is in use: choose another port with --admin <port>, or turn the console off with --admin false`,
    )
    return null
  }
  return { port: portOf(app), close: () => app.close() }
}

async function createAdmin({
  admin,
  store,
  metricsSource,
  cacheSource,
  options,
  log,
}: AdminInput): Promise<FastifyInstance> {
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
  await addConsoleAndApi(app, { ledgers: [store.ledger], cache, auth, currentRelease, options })
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
