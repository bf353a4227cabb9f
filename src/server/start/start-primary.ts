import cluster from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'
import type { AdminListener } from '../admin/start-admin.ts'
import { copyBuild } from '../build-output/build-copy.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createFailureStore, type FailureStore } from '../ledger/failure-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { answerCall } from '../ledger/ledger-rpc.ts'
import { checkLedger } from '../ledger/open-ledger.ts'
import { freeSocketFile, type ListenAddress } from '../lifecycle/listen.ts'
import { ALL_SIGNALS, KEEP_MS, listenToStop } from '../lifecycle/shutdown.ts'
import { createJsonLogging, createLog, createSharedOutput } from '../log/logger.ts'
import { writeLogLines } from '../log/output.ts'
import type { EnvFiles } from '../options/env-files.ts'
import type { Options } from '../options/options.ts'
import { timerMs } from '../util/deadline.ts'
import type { ClusterMetrics } from './cluster-metrics.ts'
import { type ClusterCache, createClusterCache, createWorkersCache, type WorkersCache } from './shared-cache.ts'
import { createSharedListener, type SharedListener } from './shared-listener.ts'
import type { ServeInput } from './start-single.ts'
import { createWorkerPool, describeEarlyEnd, type WorkerPool } from './worker-pool.ts'
import {
  forkWorker,
  type MessageListener,
  type Output,
  type WorkerProcess,
  type WorkerSource,
} from './worker-process.ts'

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
    // The worker has logged its error itself, if it has exited.
    const { code } = outcome.failed
    if (code === null) log.fatal(`a worker ${describeEarlyEnd(outcome.failed)}`)
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

/** Reads the files with environment variables, and the build. Throws when one of the former cannot be read. */
function readSource(folder: string, envFiles: EnvFiles): WorkerSource {
  envFiles.load()
  const env = { ...process.env }
  try {
    return { build: copyBuild(folder), env }
  } catch {
    return { build: null, env }
  }
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

interface SignalInput {
  pool: Pick<WorkerPool, 'kill' | 'reload'>
  timeouts: Pick<Options['timeouts'], 'stopDelayMs' | 'drainMs'>
  log: FastifyBaseLogger
  /** Stops the workers. Resolves with true when each of them has finished its requests. */
  close(): Promise<boolean>
}

/**
 * Ends the primary when a signal arrives or an exception is not caught: with 0 when all workers have finished their
 * requests, else with 1. SIGHUP reloads the workers. Returns a function that removes the handlers.
 */
function handleSignals({ pool, timeouts, log, close }: SignalInput): () => void {
  // A terminal sends SIGHUP when it is closed, and Windows sends it in no other case. The server has to end then, as its
  // output is gone.
  const isReloadSignal = !process.stdout.isTTY && process.platform !== 'win32'
  let isStopping = false
  let stopSignal: string | null = null
  const shutdown = closeWithGrace(
    {
      delay: timerMs(timeouts.stopDelayMs + timeouts.drainMs + 3 * KEEP_MS),
      logger: log,
      skip: [...ALL_SIGNALS],
      onTimeout(delayMs) {
        log.error(`the workers did not stop within ${delayMs} ms: killing them`)
        pool.kill()
      },
    },
    async ({ err }) => {
      isStopping = true
      if (err) log.fatal({ err }, 'the primary failed: stopping the workers')
      else log.info({ signal: stopSignal }, 'stopping: waiting for the requests in flight')
      if (!(await close())) process.exit(1)
      log.info('stopped: all requests are finished')
    },
  )
  const ignoreStop = listenToStop(
    (signal) => {
      if (isStopping) {
        log.error(`second ${signal}: killing the workers and exiting`)
        pool.kill()
        process.exit(1)
      }
      stopSignal = signal
      shutdown.close()
    },
    isReloadSignal ? ['SIGHUP'] : [],
  )
  const reload = () => void pool.reload()
  if (isReloadSignal) process.on('SIGHUP', reload)
  return () => {
    process.off('SIGHUP', reload)
    ignoreStop()
    shutdown.uninstall()
  }
}

interface PrimaryParts {
  pool: WorkerPool
  listener: SharedListener
  store: FailureStore
  cache: WorkersCache
  /** Null when the admin listener is off. */
  metrics: ClusterMetrics | null
  /** Null when the admin listener is off. */
  contents: ClusterCache | null
}

function createMessageHandler({ pool, listener, store, cache, metrics, contents }: PrimaryParts): MessageListener {
  const ledger = shareLedger(store)

  async function release(worker: WorkerProcess) {
    await listener.release(worker)
    worker.send({ kind: 'released' })
  }

  return (message, worker) => {
    switch (message.kind) {
      case 'call':
        return void answerCall(ledger, message.call).then((answer) => worker.send({ kind: 'answer', answer }))
      case 'cacheCall':
        return cache.take(message.call, worker)
      case 'cacheJoin':
        return cache.join(worker)
      case 'cacheTell':
        return void cache.tell(message, worker)
      case 'cacheHeard':
        return cache.hear(message)
      case 'askBuild':
        return worker.send({ kind: 'build', build: worker.source.build })
      case 'cacheContents':
        return contents?.take(message)
      case 'listen':
        return void sendAddress(listener, message.where, worker)
      case 'took':
        return listener.free(worker)
      case 'failed':
        return store.add(message.failure)
      case 'leaving':
        return pool.leave(worker)
      case 'asked':
        return void pool.replace(worker)
      case 'closed':
        return void release(worker)
      case 'metrics':
      case 'counts':
        return metrics?.take(message, worker)
    }
  }
}

async function sendAddress(listener: SharedListener, wanted: ListenAddress, worker: WorkerProcess) {
  try {
    worker.send({ kind: 'listening', address: await listener.listen(wanted) })
  } catch (error) {
    // Node.js gives the errors of `listen` a code.
    const { message, code } = error as NodeJS.ErrnoException
    worker.send({ kind: 'unable', message, code })
  }
}

/** The ledger as workers call it: `record` succeeds at once, and the writer of the primary writes when it can. */
function shareLedger({ ledger, writer }: FailureStore): Ledger {
  return {
    ...ledger,
    async record(entries) {
      writer.addAll(entries)
      return 'stored'
    },
    async markRecovered(digest) {
      await writer.flush()
      return ledger.markRecovered(digest)
    },
  }
}
