import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { AdminListener } from './admin/start-admin.ts'
import { type AdminOptions, requireToken } from './admin-option.ts'
import { buildFolder, readConfig, readManifest } from './build.ts'
import { createInstance, type Instance } from './create-server.ts'
import { endWithProcess } from './ending.ts'
import { createHydrantError } from './errors.ts'
import type { Measures } from './measures.ts'
import { type Options, resolveOptions } from './options.ts'

export interface StartInput {
  /** The site's folder. */
  dir: string
  /** Options as typed on the command line. */
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
}

export interface StartedServer {
  /** Where it listens: `http://127.0.0.1:3000/shop`. */
  url: string
  close(): Promise<void>
}

/**
 * Serves a build until a signal says to stop: then no new connections are taken, requests in flight have `drainMs` to
 * finish, and the process ends with 0. A second signal ends it at once. An exception that nothing has caught is a failure
 * which ends the process in the same way, with 1. Throws the build's and the options' errors, HYD_PORT_IN_USE,
 * HYD_LISTEN_FAILED, and those of the admin listener: HYD_OPTION_ADMIN_TOKEN, HYD_ADMIN_PORT_IN_USE and
 * HYD_ADMIN_LISTEN_FAILED.
 */
export async function startServer({ dir, flags, env }: StartInput): Promise<StartedServer> {
  const folder = buildFolder(dir)
  readManifest(folder)
  const options = resolveOptions({ flags, env, config: await readConfig(folder) })
  const { admin } = options
  if (admin) requireToken(admin)
  const measures: Measures | null = admin ? { answered() {}, rendered() {}, firstByte() {} } : null
  const logging = await createLogging(options.logLevel)
  const instance = await createInstance({ dir, folder, options, logging, measures })
  const { app, keeper } = instance
  let listener: AdminListener | null = null
  const close = async () => {
    await listener?.close()
    await app.close()
  }
  // Before somebody reads that it listens, and stops it.
  const leaveAlone = endWithProcess({ ...instance, close }, options.timeouts)
  try {
    await listen(app, options)
    keeper.open()
    if (admin && measures) listener = await openAdmin(admin, instance, measures, options)
  } catch (error) {
    // It would end the process with 0, as one that has nothing left to do.
    leaveAlone()
    await app.close()
    throw error
  }
  return { url: urlOf(app, options), close }
}

async function createLogging(level: string): Promise<Pick<FastifyServerOptions, 'logger'>> {
  if (!process.stdout.isTTY) return { logger: { level } }
  const { default: pretty } = await import('pino-pretty')
  const stream = pretty({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true })
  return { logger: { level, stream } }
}

/** Loaded only where it is wanted, and when the site is there already. */
async function openAdmin(
  admin: AdminOptions,
  { app, keeper }: Instance,
  measures: Measures,
  options: Options,
): Promise<AdminListener | null> {
  const { startAdmin } = await import('./admin/start-admin.ts')
  return startAdmin({ admin, keeper, measures, options, log: app.log })
}

async function listen(app: FastifyInstance, { port, host }: Options) {
  try {
    await app.listen({ port, host })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw createHydrantError('HYD_PORT_IN_USE', [port, host], cause)
    throw createHydrantError('HYD_LISTEN_FAILED', [host, port, message], cause)
  }
}

function urlOf(app: FastifyInstance, { host, base }: Options): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${base === '/' ? '' : base}`
}
