import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createConnectionLimits } from '../guards/connection-limits.ts'
import { addFirstHook } from '../guards/first-hook.ts'
import type { FailureStore } from '../ledger/failure-store.ts'
import { askAll, joinLedgers } from '../ledger/joined-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { type AdminOptions, DEFAULT_ADMIN_PORT } from '../options/admin-address.ts'
import type { Options } from '../options/options.ts'
import { addGuard } from './access.ts'
import { addApi } from './api.ts'
import { type Auth, createAuth } from './auth.ts'
import { addConsole } from './console.ts'
import { createChanges } from './ledger-changes.ts'
import { createMetrics, type MetricsSource } from './metrics.ts'

export interface AdminInput {
  admin: AdminOptions
  keeper: FailureStore
  metricsSource: MetricsSource
  /** Of the site. */
  options: Pick<Options, 'ledger' | 'reactServer' | 'timeouts' | 'limits'>
  log: FastifyBaseLogger
}

export interface AdminListener {
  port: number
  close(): Promise<void>
}

/**
 * Opens the operators' own listener. Returns null, with a warning in the log, when it was not told which port to take and the
 * default one is in use. Throws HYD_ADMIN_PORT_IN_USE and HYD_ADMIN_LISTEN_FAILED.
 */
export async function startAdmin(input: AdminInput): Promise<AdminListener | null> {
  const app = await createAdmin(input)
  const { log, admin } = input
  try {
    await listen(app, admin)
  } catch (error) {
    await app.close()
    const isDefaultTaken = admin.port === null && error instanceof Error && 'code' in error && error.code === IN_USE
    if (!isDefaultTaken) throw error
    log.warn(
      `there is no console, because port ${DEFAULT_ADMIN_PORT} is in use: choose another port with --admin <port>, or turn the console off with --admin false`,
    )
    return null
  }
  return { port: portOf(app), close: () => app.close() }
}

const IN_USE = 'HYD_ADMIN_PORT_IN_USE'

async function createAdmin({ admin, keeper, metricsSource, options, log }: AdminInput): Promise<FastifyInstance> {
  const limits = createConnectionLimits(options)
  const app = Fastify({
    ...limits.fastifyOptions,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  })
  limits.addTo(app)
  const door = createAuth(admin)
  addFirstHook(app, { securityHeaders: true })
  addGuard(app, door, () => (door.isOpen ? allowedHosts(admin.host, app) : null))
  addMetrics(app, metricsSource, keeper.writer)
  // While workers are exchanged, the first has the newest.
  const currentRelease = () => metricsSource.served()[0]?.release ?? ''
  await addDesk(app, { ledgers: [keeper.ledger], door, currentRelease, options })
  await app.ready()
  return app
}

/** `/metrics`. */
export function addMetrics(app: FastifyInstance, metricsSource: MetricsSource, writer: Pick<LedgerWriter, 'stats'>) {
  const metrics = createMetrics(metricsSource, writer)
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()))
}

export interface DeskInput {
  /** Shown as one. */
  ledgers: readonly [Ledger, ...Ledger[]]
  door: Auth
  /** What "new" means in a list where no release is named. */
  currentRelease(): string
  options: Pick<Options, 'ledger' | 'reactServer'>
}

/** The API and the console. */
export async function addDesk(app: FastifyInstance, { ledgers, door, currentRelease, options }: DeskInput) {
  const ledger = joinLedgers(ledgers)
  const changes = createChanges({ list: async (query) => (await askAll(ledgers, ({ list }) => list(query))).flat() })
  app.addHook('onClose', async () => changes.close())
  await app.register(async (scope) => addApi(scope, ledger, changes, currentRelease))
  await app.register(async (scope) => addConsole(scope, ledger, changes, door, currentRelease, options))
}

async function listen(app: FastifyInstance, { host, port }: AdminOptions) {
  const wanted = port ?? DEFAULT_ADMIN_PORT
  try {
    await app.listen({ host, port: wanted, listenTextResolver: (address) => `the console is at ${address}` })
  } catch (cause) {
    // Node's errors have a code.
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw createHydrantError(IN_USE, [wanted, host], cause)
    throw createHydrantError('HYD_ADMIN_LISTEN_FAILED', [host, wanted, message], cause)
  }
}

const HTTP_PORT = 80

// Names that no other site can have lead here.
function allowedHosts(host: string, app: FastifyInstance): string[] {
  const port = portOf(app)
  const own = host.includes(':') ? `[${host}]` : host.toLowerCase()
  const names = [...new Set(['localhost', '127.0.0.1', '[::1]', own])]
  return names.flatMap((name) => (port === HTTP_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`]))
}

function portOf({ server }: FastifyInstance): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
