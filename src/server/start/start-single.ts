import type { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { MetricsSource } from '../admin/metrics.ts'
import type { AdminListener } from '../admin/start-admin.ts'
import type { ServedBuild } from '../build-output/build-copy.ts'
import type { BuildFiles } from '../build-output/load-build.ts'
import { createInstance } from '../create-server.ts'
import { createFailureStore } from '../ledger/failure-store.ts'
import { checkLedger } from '../ledger/open-ledger.ts'
import { stopAccepting } from '../lifecycle/drain-connections.ts'
import { firstResponse } from '../lifecycle/in-flight.ts'
import { createListenError, listen, listenAtAll, listenHanded, SocketlessServer } from '../lifecycle/listen.ts'
import { handleShutdown } from '../lifecycle/shutdown.ts'
import { startWatchdog } from '../lifecycle/watchdog.ts'
import { createLogging } from '../log/logger.ts'
import { NO_METRICS } from '../metrics/metrics-recorder.ts'
import { createRequestMetrics, type RequestMetrics } from '../metrics/request-metrics.ts'
import type { Options } from '../options/options.ts'

export interface ServeInput extends BuildFiles {
  /** The site's folder. */
  dir: string
  options: Options
  /** A note on how the server was started, which is logged as a warning; null for none. */
  note: string | null
}

/** Serves in this process alone. Throws the errors of `checkLedger`. */
export async function startSingle({ dir, folder, manifest, options, note }: ServeInput): Promise<void> {
  const { admin } = options
  await checkLedger(dir, options)
  const metrics = admin ? createRequestMetrics(options.release || manifest.buildId) : null
  const logging = await createLogging(options.logLevel)
  const listener = options.host === 'localhost' && options.socket === null ? createListener(options) : null
  const instance = await createInstance({
    dir,
    folder,
    manifest,
    options,
    logging,
    metrics: metrics?.recorder ?? NO_METRICS,
    ...(listener ? { handed: listener } : {}),
    getStore: (log) => createFailureStore(dir, options, log),
  })
  const { app, store, release, build, cache } = instance
  if (metrics) store.subscribe(metrics.countFailure)
  let adminListener: AdminListener | null = null
  let isStopping = false
  // Before the log says that the server listens: a signal may follow at once.
  const { fail, detach } = handleShutdown(instance, options.timeouts, {
    // The requests that end while the app is closing are timed too.
    closers: [...(cache ? [cache.close] : []), async () => adminListener?.writeTimes(), store.close],
    async closeFirst() {
      isStopping = true
      await adminListener?.close()
    },
  })
  try {
    if (note !== null) app.log.warn(note)
    app.log.info({ release, build }, 'the site is loaded')
    await (listener ? listener.listen(app) : listen(app, options))
    store.open()
    await startWatchdog(options.timeouts.hangMs, app.log, fail)
    if (admin && metrics) {
      await firstResponse(app.server)
      if (isStopping) return
      // Loaded only where it is used.
      const { startAdmin } = await import('../admin/start-admin.ts')
      const { createCacheSource } = await import('../admin/cache-report.ts')
      const cacheSource = createCacheSource(cache ? [cache] : [])
      const metricsSource = createMetricsSource(metrics, { release, build })
      adminListener = await startAdmin({ admin, store, metricsSource, cacheSource, options, log: app.log })
      // What a start blocks is nothing to mend.
      metrics.watchSteps()
    }
  } catch (error) {
    // Otherwise the process would end with 0 when nothing is left to do.
    detach()
    await app.close()
    await store.close()
    throw error
  }
}

function createMetricsSource({ read }: RequestMetrics, served: ServedBuild): MetricsSource {
  return {
    counts: async () => read(),
    processes: null,
    served: () => [served],
    workersLost: () => 0,
    lastReload: () => null,
  }
}

/**
 * Listens at all addresses of `localhost`. Fastify would create a server for each address, and could stop only the
 * first one without losing a request.
 */
function createListener(options: Options) {
  const server = new SocketlessServer(options)
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
        throw await createListenError(options, cause)
      }
      const [address] = servers.map((each) => each.address())
      if (address) server.listenAt(address)
      await listenHanded(app)
    },
  }
}
