import cluster from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import type { AdminListener } from '../admin/start-admin.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { createFailureStore, type FailureStore } from '../ledger/failure-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { answerCall } from '../ledger/ledger-rpc.ts'
import { KEEP_MS } from '../lifecycle/shutdown.ts'
import { freeSocketFile } from '../lifecycle/socket-file.ts'
import { createJsonLogging, createSharedOutput } from '../log/logger.ts'
import type { ServeInput } from '../start-single.ts'
import type { ClusterMetrics } from './cluster-metrics.ts'
import type { ToPrimary, Where } from './messages.ts'
import { createSharedListener, type SharedListener } from './shared-listener.ts'
import { createWorkerPool, type Pool } from './worker-pool.ts'
import { forkWorker, type WorkerProcess } from './worker-process.ts'

/**
 * Has workers serve, and looks after them. It loads nothing of the site: what is hard to get wrong does not fail. The ledger
 * and the admin listener are here, once for all of them.
 */
export async function startPrimary({ dir, options, note }: ServeInput, count: number): Promise<void> {
  if (cluster.worker) throw createHydrantError('HYD_WORKERS_NESTED', [])
  if (options.socket !== null) await freeSocketFile(options.socket)
  // Lines of many processes, written by one.
  const stdout = await createSharedOutput()
  const { stderr } = process
  // Whoever reads the log may go away before the site does.
  for (const stream of [process.stdout, stderr]) stream.on('error', () => {})
  const { log } = Fastify(createJsonLogging(options.logLevel, stdout))
  if (note !== null) log.warn(note)
  const store = createFailureStore(dir, options, log)
  const ledger = shareLedger(store)
  const front = createSharedListener(options, log)
  cluster.setupPrimary({ serialization: 'advanced', stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const pool = createWorkerPool({
    ...{ count, log },
    timeouts: options.timeouts,
    fork(name, isSuccessor) {
      const worker = forkWorker(name, isSuccessor, { stdout, stderr }, hear)
      void worker.ready.then((addresses) => addresses && front.add(worker))
      return worker
    },
    onEnd(worker) {
      front.remove(worker)
      counts?.end(worker)
    },
  })
  const { admin } = options
  const counts = admin ? await countAll(pool) : null
  let listener: AdminListener | null = null
  let handedOut: Promise<void> | null = null

  function hear(message: ToPrimary, worker: WorkerProcess) {
    switch (message.kind) {
      case 'call':
        return void answerCall(ledger, message.call).then((answer) => worker.send({ kind: 'answer', answer }))
      case 'listen':
        return void tellAddress(front, message.where, worker)
      case 'took':
        return front.free(worker)
      case 'failed':
        return store.add(message.failure)
      case 'leaving':
        return pool.leave(worker)
      case 'asked':
        return pool.replace(worker)
      case 'closed':
        return void release(worker)
      case 'metrics':
      case 'counts':
        return counts?.take(message, worker)
    }
  }

  async function release(worker: WorkerProcess) {
    // Once all are to stop, the last ones take what still waits.
    await handedOut
    front.remove(worker)
    worker.send({ kind: 'released' })
  }

  async function close(): Promise<boolean> {
    const stopped = pool.stop()
    const delay = wait(options.timeouts.stopDelayMs, undefined, { ref: false })
    handedOut = Promise.race([stopped, delay]).then(front.close)
    await handedOut
    const isDone = await stopped
    await listener?.close()
    await store.close()
    return isDone
  }

  const leaveAlone = endWithSignals(pool, close, options.timeouts, log)
  const outcome = await pool.start()
  if ('failed' in outcome) {
    // It is being stopped.
    if (pool.isStopping()) return
    const { code, signal } = outcome.failed
    // What it said stands above.
    if (signal !== null) log.fatal(`a worker was killed by ${signal} before it was ready`)
    await close()
    process.exit(code || 1)
  }
  store.open()
  for (const address of outcome.addresses) log.info(`Server listening at ${address}`)
  if (!admin || counts === null) return
  try {
    const { startAdmin } = await import('../admin/start-admin.ts')
    listener = await startAdmin({ admin, store, metricsSource: counts, options, log })
  } catch (error) {
    leaveAlone()
    await close()
    throw error
  }
}

async function tellAddress(front: SharedListener, where: Where, worker: WorkerProcess) {
  try {
    worker.send({ kind: 'listening', address: await front.listen(where) })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    worker.send({ kind: 'unable', message, code })
  }
}

async function countAll(pool: Pool): Promise<ClusterMetrics> {
  const { gatherCounts } = await import('./cluster-metrics.ts')
  return gatherCounts(pool)
}

/** The ledger as workers have it: what they hand over has been taken, whether it can be written now or not. */
function shareLedger({ ledger, writer }: FailureStore): Ledger {
  return {
    ...ledger,
    record: async (entries) => writer.addAll(entries),
    async markRecovered(digest) {
      await writer.flush()
      return ledger.markRecovered(digest)
    },
  }
}

/** Returns what leaves the process alone again. */
function endWithSignals(
  pool: Pool,
  close: () => Promise<boolean>,
  { stopDelayMs, drainMs }: ServeInput['options']['timeouts'],
  log: FastifyBaseLogger,
): () => void {
  // A terminal that closes sends it, and is no place to go on without.
  const reloads = !process.stdout.isTTY
  const ending = closeWithGrace(
    {
      delay: stopDelayMs + drainMs + 3 * KEEP_MS,
      logger: log,
      skip: reloads ? ['SIGHUP'] : [],
      onSecondSignal(signal) {
        log.error(`second ${signal}: killing the workers and exiting`)
        pool.kill()
      },
      onTimeout(delayMs) {
        log.error(`the workers did not stop within ${delayMs} ms: killing them`)
        pool.kill()
      },
    },
    async ({ signal, err }) => {
      if (err) log.fatal({ err }, 'the primary failed: stopping the workers')
      else log.info({ signal }, 'stopping: waiting for the requests in flight')
      if (!(await close())) process.exit(1)
      log.info('stopped: all requests are finished')
    },
  )
  const reload = () => void pool.reload()
  if (reloads) process.on('SIGHUP', reload)
  return () => {
    process.off('SIGHUP', reload)
    ending.uninstall()
  }
}
