import cluster from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { AdminListener } from '../admin/start-admin.ts'
import { copyBuild } from '../build-output/build-copy.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createFailureStore } from '../ledger/failure-store.ts'
import { checkLedger } from '../ledger/open-ledger.ts'
import { freeSocketFile } from '../lifecycle/listen.ts'
import { createJsonLogging, createLog, createSharedOutput } from '../log/logger.ts'
import { writeLogLines } from '../log/output.ts'
import type { EnvFiles } from '../options/env-files.ts'
import type { ServeInput } from '../start-single.ts'
import { createClusterCache } from './cache-questions.ts'
import { createMessageHandler, type PrimaryParts } from './handle-messages.ts'
import { handleSignals } from './primary-signals.ts'
import { createWorkersCache } from './shared-cache.ts'
import { createSharedListener } from './shared-listener.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'
import { forkWorker, type Output } from './worker-process.ts'
import { readSource } from './worker-source.ts'

/**
 * Serves with `count` worker processes. The primary accepts the connections, and keeps the ledger and the admin
 * listener for all workers. It loads nothing of the site, so that the site's code cannot break it. Throws
 * HYD_WORKERS_NESTED and HYD_SOCKET_IN_USE, and the errors of `checkLedger` and of the admin listener.
 */
export async function startPrimary(input: ServeInput, count: number, envFiles: EnvFiles): Promise<void> {
  const { dir, options, note } = input
  if (cluster.worker) throw createHydrantError('HYD_WORKERS_NESTED', [])
  await checkLedger(dir, options)
  if (options.socket !== null) await freeSocketFile(options.socket)
  const output = await openOutput()
  const stream = { write: (line: string) => void writeLogLines(output.stdout, line) }
  const log = createLog(createJsonLogging(options.logLevel, stream))
  if (note !== null) log.warn(note)
  const { pool, listener, store, metrics, contents } = await createPrimary({ ...input, count, envFiles, output, log })
  const { admin, timeouts } = options
  let adminListener: AdminListener | null = null

  async function close(): Promise<boolean> {
    const stopped = pool.stop()
    const delay = wait(timeouts.stopDelayMs, undefined, { ref: false })
    await listener.close(Promise.race([stopped, delay]))
    const isDone = await stopped
    await adminListener?.close()
    await store.close()
    return isDone
  }

  const ignoreSignals = handleSignals({ pool, timeouts, log, close })
  const outcome = await pool.start()
  if ('failed' in outcome) {
    if (pool.isStopping()) return
    // The worker has logged its error itself, unless a signal has ended it.
    const { code, signal } = outcome.failed
    if (signal !== null) log.fatal(`a worker was killed by ${signal} before it was ready`)
    await close()
    process.exit(code || 1)
  }
  store.open()
  for (const address of outcome.addresses) log.info(`Server listening at ${address}`)
  if (!admin || metrics === null || contents === null) return
  try {
    const { startAdmin } = await import('../admin/start-admin.ts')
    adminListener = await startAdmin({ admin, store, metricsSource: metrics, cacheSource: contents, options, log })
  } catch (error) {
    ignoreSignals()
    await close()
    throw error
  }
}

interface PrimaryInput extends Pick<ServeInput, 'dir' | 'folder' | 'options'> {
  count: number
  envFiles: EnvFiles
  output: Output
  log: FastifyBaseLogger
}

async function createPrimary(input: PrimaryInput): Promise<PrimaryParts> {
  const { dir, folder, options, count, envFiles, output, log } = input
  const { hangMs } = options.timeouts
  const store = createFailureStore(dir, options, log)
  const listener = createSharedListener(options, log)
  const cache = createWorkersCache(options.pageCache.maxBytes)
  cluster.setupPrimary({ serialization: 'advanced', stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const pool = createWorkerPool({
    count,
    timeouts: options.timeouts,
    log,
    source: { build: copyBuild(folder), env: { ...process.env } },
    readSource: () => readSource(folder, envFiles),
    fork(name, isSuccessor, source) {
      const worker = forkWorker({ name, isSuccessor, source, output, listener: handleMessage, hangMs, log })
      void worker.ready.then((addresses) => addresses && listener.add(worker))
      return worker
    },
    onEnd(worker) {
      listener.lose(worker)
      cache.end(worker)
      metrics?.end(worker)
    },
  })
  const metrics = options.admin ? await loadMetrics(pool) : null
  const contents = options.admin ? createClusterCache(pool) : null
  const parts: PrimaryParts = { pool, listener, store, cache, metrics, contents }
  const handleMessage = createMessageHandler(parts)
  return parts
}

/** The output of all processes: the primary writes it, so that lines do not mix. */
async function openOutput(): Promise<Output> {
  const stdout = await createSharedOutput()
  const { stderr } = process
  // The reader of the log may end before the server does.
  for (const stream of [process.stdout, stderr]) stream.on('error', () => {})
  return { stdout, stderr }
}

async function loadMetrics(pool: WorkerPool) {
  const { createClusterMetrics } = await import('./cluster-metrics.ts')
  return createClusterMetrics(pool)
}
