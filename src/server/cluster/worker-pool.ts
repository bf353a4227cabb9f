import type { FastifyBaseLogger } from 'fastify'
import { type Reload, warnOfSameRelease } from '../build-output/served-build.ts'
import type { Options } from '../options/options.ts'
import type { End, WorkerProcess, WorkerSource } from './worker-process.ts'
import { createWorkerSlot, type WorkerSlot } from './worker-slot.ts'

export interface PoolOptions {
  /** How many workers run. */
  count: number
  timeouts: Pick<Options['timeouts'], 'drainMs' | 'stopDelayMs'>
  log: FastifyBaseLogger
  /** What the first workers start from. */
  source: WorkerSource
  /** Reads what is on the disk now. */
  readSource(): WorkerSource
  /** Starts a worker process; as a successor when other workers serve already. */
  fork(name: string, isSuccessor: boolean, source: WorkerSource): WorkerProcess
  /** Called for each worker process that has ended. */
  onEnd(worker: WorkerProcess): void
}

/** Keeps a number of workers running. */
export interface WorkerPool {
  /** Resolves with the addresses at which the workers serve, or with the end of the first one that could not start. */
  start(): Promise<{ addresses: readonly string[] } | { failed: End }>
  /**
   * Replaces the workers, one after the other, by workers of the build that is on disk. When one of them cannot start,
   * all workers are of the previous build again.
   */
  reload(): Promise<void>
  /** Starts another worker in the place of one that is ending by itself. */
  leave(worker: WorkerProcess): void
  /** Stops a worker once its successor is ready. */
  replace(worker: WorkerProcess): void
  /** The workers that are ready. */
  serving(): WorkerProcess[]
  /** How many workers have ended, or begun to end, without a request of the primary. */
  lostCount(): number
  /** Null before the first reload. */
  lastReload(): Reload | null
  /** Resolves when all workers have ended: with true when each of them has finished its requests. */
  stop(): Promise<boolean>
  isStopping(): boolean
  /** Kills all workers. */
  kill(): void
}

export function createWorkerPool(options: PoolOptions): WorkerPool {
  const { count, timeouts, log, readSource, fork, onEnd } = options
  const { drainMs, stopDelayMs } = timeouts
  const alive = new Set<WorkerProcess>()
  let isStopping = false
  let lost = 0
  /** From which all workers have started at last. */
  let good = options.source
  const slots = Array.from({ length: count }, (_, index) =>
    createWorkerSlot({ name: String(index + 1), drainMs, log, fork: startWorker, countLost: () => lost++ }),
  )

  function startWorker(name: string, isSuccessor: boolean, source = good): WorkerProcess {
    const worker = fork(name, isSuccessor, source)
    alive.add(worker)
    void worker.ended.then(() => {
      alive.delete(worker)
      onEnd(worker)
    })
    return worker
  }

  /** Resolves with false for a worker that was ready and has not finished its requests. */
  async function stopWorker(worker: WorkerProcess): Promise<boolean> {
    const wasReady = worker.isReady()
    const { code } = await worker.stop({ delayMs: stopDelayMs, othersServe: false }, stopDelayMs + drainMs)
    return !wasReady || code === 0
  }

  function serving(): WorkerProcess[] {
    return slots.map(({ current }) => current()).filter((worker): worker is WorkerProcess => worker?.isReady() === true)
  }

  const reload = createReload({
    slots,
    readSource,
    serving,
    isStopping: () => isStopping,
    log,
    onDone: (source) => {
      good = source
    },
  })
  const slotOf = (worker: WorkerProcess) => slots.find(({ current }) => current() === worker)

  return {
    async start() {
      const addresses: (readonly string[])[] = []
      // The first worker starts alone: an error that keeps it from starting would keep all of them, and is logged once.
      for (const group of [slots.slice(0, 1), slots.slice(1)]) {
        const workers = group.map(({ fill }) => fill())
        for (const worker of workers) {
          const found = await worker.ready
          if (found === null) return { failed: await worker.ended }
          addresses.push(found)
        }
      }
      for (const slot of slots) slot.open()
      return { addresses: addresses[0] ?? [] }
    },
    reload: reload.run,
    leave: (worker) => slotOf(worker)?.onLost(worker, 'is shutting down'),
    replace(worker) {
      const slot = slotOf(worker)
      if (!slot || isStopping || slot.isReplacing()) return
      log.info({ worker: worker.pid }, `worker ${slot.name} was asked to stop: it stops when its replacement is ready`)
      void slot.replace()
    },
    serving,
    lostCount: () => lost,
    lastReload: reload.last,
    async stop() {
      isStopping = true
      for (const slot of slots) slot.close()
      const ends = await Promise.all([...alive].map(stopWorker))
      return ends.every(Boolean)
    },
    isStopping: () => isStopping,
    kill() {
      for (const worker of alive) worker.kill()
    },
  }
}

interface ReloadInput {
  slots: readonly WorkerSlot[]
  /** Reads what is on the disk now. */
  readSource(): WorkerSource
  /** Called when all workers have started from a new source: those that are lost from now on are replaced from it. */
  onDone(source: WorkerSource): void
  /** Returns the workers that are ready. */
  serving(): WorkerProcess[]
  isStopping(): boolean
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

/**
 * Replaces the workers, one after the other, by workers that serve the build on disk. When one of those cannot start, or
 * ends meanwhile, the others are replaced by workers of the previous build.
 */
function createReload({ slots, readSource, onDone, serving, isStopping, log }: ReloadInput) {
  let requested = 0
  let last: Reload | null = null

  async function replaceAll(): Promise<boolean> {
    let source: WorkerSource
    try {
      source = readSource()
    } catch (err) {
      log.error({ err }, 'a file with environment variables cannot be read')
      return false
    }
    const hasSource = (slot: WorkerSlot) => slot.current()?.source === source
    for (const slot of slots) if (!(await slot.replace(source))) break
    const isDone = slots.every((slot) => hasSource(slot) && slot.current()?.isReady())
    if (isDone) onDone(source)
    else for (const slot of slots.filter(hasSource)) await slot.replace()
    return isDone
  }

  return {
    async run() {
      // A reload that is requested during a reload may be for a newer build, so the loop runs again.
      if (requested++ > 0 || isStopping()) return
      for (let done = 0; done < requested; ) {
        done = requested
        log.info('reloading: each worker stops when its replacement is ready')
        const [before] = serving()
        const isDone = await replaceAll()
        if (isStopping()) return
        last = { at: Date.now(), isDone }
        if (isDone) warnOfSameRelease(before?.served(), serving()[0]?.served(), log)
        if (isDone) log.info('reloaded: all workers serve the build on disk')
        else log.error('the build on disk cannot start: the workers of the previous build continue to serve')
      }
      requested = 0
    },
    /** Returns the last reload; null before the first. */
    last: () => last,
  }
}
