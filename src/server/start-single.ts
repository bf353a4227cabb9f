import type { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { MetricsSource } from './admin/metrics.ts'
import type { AdminListener } from './admin/start-admin.ts'
import { createInstance } from './create-server.ts'
import { HandedServer } from './lifecycle/handed-server.ts'
import { createListenError, listen, listenHanded } from './lifecycle/listen.ts'
import { listenAtAll } from './lifecycle/listen-at-all.ts'
import { handleShutdown } from './lifecycle/shutdown.ts'
import { stopAccepting } from './lifecycle/stop-accepting.ts'
import { startWatchdog } from './lifecycle/watchdog.ts'
import { createLogging } from './log/logger.ts'
import { NO_METRICS } from './metrics/metrics-recorder.ts'
import { createRequestMetrics } from './metrics/request-metrics.ts'
import type { Options } from './options/options.ts'

export interface ServeInput {
  /** The site's folder. */
  dir: string
  /** The build's folder. */
  folder: string
  options: Options
  /** What is to be logged of how it was started; null for nothing. */
  note: string | null
}

/** Serves in this process alone. */
export async function startSingle({ dir, folder, options, note }: ServeInput): Promise<void> {
  const { admin } = options
  const metrics = admin ? createRequestMetrics() : null
  const logging = await createLogging(options.logLevel)
  const handed = options.host === 'localhost' && options.socket === null ? createListener(options) : null
  const instance = await createInstance({
    ...{ dir, folder, options, logging, metrics: metrics?.recorder ?? NO_METRICS },
    ...(handed ? { handed } : {}),
  })
  const { app, store, release, build } = instance
  if (metrics) store.subscribe(metrics.countFailure)
  let listener: AdminListener | null = null
  const close = async () => {
    await listener?.close()
    await app.close()
  }
  // Before somebody reads that it listens, and stops it.
  const { fail, detach: leaveAlone } = handleShutdown({ ...instance, close }, options.timeouts)
  try {
    if (note !== null) app.log.warn(note)
    app.log.info({ release, build }, 'the site is loaded')
    await (handed ? handed.listen(app) : listen(app, options))
    store.open()
    await startWatchdog(options.timeouts.hangMs, app.log, fail)
    if (admin && metrics) {
      // Loaded only where it is wanted, and when the site is there already.
      const { startAdmin } = await import('./admin/start-admin.ts')
      const metricsSource: MetricsSource = {
        counts: async () => metrics.read(),
        processes: null,
        served: () => [{ release, build }],
        workersLost: () => 0,
        lastReload: () => null,
      }
      listener = await startAdmin({ admin, store, metricsSource, options, log: app.log })
    }
  } catch (error) {
    // It would end the process with 0, as one that has nothing left to do.
    leaveAlone()
    await app.close()
    throw error
  }
}

/** A server at all addresses of a host. Fastify would make one for each, of which only the first can be ended without a loss. */
function createListener(options: Options) {
  const server = new HandedServer(options)
  let servers: Server[] = []
  return {
    server,
    async stopListening() {
      await Promise.all(servers.map(stopAccepting))
    },
    async listen(app: FastifyInstance) {
      const onError = (err: Error) => app.log.warn({ err }, 'a connection could not be accepted')
      try {
        servers = await listenAtAll(options, { take: (socket) => server.take(socket), onError })
      } catch (cause) {
        throw createListenError(options, cause)
      }
      const [address] = servers.map((each) => each.address())
      if (address) server.listenAt(address)
      await listenHanded(app)
    },
  }
}
