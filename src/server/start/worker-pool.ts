import type { FastifyBaseLogger } from 'fastify'
import { type Reload, warnOfSameRelease } from '../build-output/build-copy.ts'
import type { Options } from '../options/options.ts'
import { messageOf } from '../util/unknown-values.ts'
import type { End, WorkerProcess, WorkerSource } from './worker-process.ts'

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

/** The addresses at which the workers serve, or the end of the first one that could not start. */
type StartOutcome = { addresses: readonly string[] } | { failed: End }

/** Keeps a number of workers running. */
export type WorkerPool = ReturnType<typeof createWorkerPool>

export function createWorkerPool(options: PoolOptions) {
  const { count, timeouts, log, readSource, fork, onEnd } = options
  const { drainMs, stopDelayMs } = timeouts
  const alive = new Set<WorkerProcess>()
  let isStopping = false
  let started: Promise<StartOutcome> | null = null
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

  async function start(): Promise<StartOutcome> {
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
  }

  /** Waits for the start: a worker that is replaced before it is ready would end it. False when no worker is to start. */
  async function isRunning(): Promise<boolean> {
    const outcome = await started
    return outcome !== null && 'addresses' in outcome && !isStopping
  }

  const reload = createReload({
    slots,
    readSource,
    serving,
    isRunning,
    isStopping: () => isStopping,
    log,
    onDone: (source) => {
      good = source
    },
  })
  const slotOf = (worker: WorkerProcess) => slots.find(({ current }) => current() === worker)

  return {
    /** Resolves with the addresses at which the workers serve, or with the end of the first one that could not start. */
    start(): Promise<StartOutcome> {
      started ??= start()
      return started
    },
    /** Replaces the workers one by one from the build on disk, or all by the previous build if one fails. */
    reload: reload.run,
    /** Starts another worker in the place of one that is ending by itself. */
    leave: (worker: WorkerProcess) => slotOf(worker)?.onLost(worker, 'is shutting down'),
    /** Stops a worker once its successor is ready. */
    async replace(worker: WorkerProcess) {
      if (!(await isRunning())) return
      const slot = slotOf(worker)
      if (!slot || slot.isReplacing()) return
      log.info({ worker: worker.pid }, `worker ${slot.name} was asked to stop: it stops when its replacement is ready`)
      await slot.replace()
    },
    serving,
    /** How many workers have ended, or begun to end, without a request of the primary. */
    lostCount: () => lost,
    /** Null before the first reload. */
    lastReload: reload.last,
    /** Resolves when all workers have ended: with true when each of them has finished its requests. */
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
  serving(): WorkerProcess[]
  /** Resolves with true once all workers have started. */
  isRunning(): Promise<boolean>
  isStopping(): boolean
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

/**
 * Replaces the workers, one after the other, by workers that serve the build on disk. When one of those cannot start, or
 * ends meanwhile, the others are replaced by workers of the previous build.
 */
function createReload({ slots, readSource, onDone, serving, isRunning, isStopping, log }: ReloadInput) {
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
      if (requested++ > 0 || !(await isRunning())) return
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

export interface SlotOptions {
  /** The number of the workers that run here, from 1. */
  name: string
  /** Milliseconds that a worker has to finish its requests. */
  drainMs: number
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  /** Starts a worker process; as a successor when other workers serve already. Without `source`, from the last good one. */
  fork(name: string, isSuccessor: boolean, source?: WorkerSource): WorkerProcess
  /** Called for each worker that is lost: it has ended, or begins to end, without a request of the primary. */
  countLost(): void
}

type WorkerSlot = ReturnType<typeof createWorkerSlot>

interface Tenant {
  worker: WorkerProcess
  /** In milliseconds of `performance.now()`. */
  startedAt: number
  /** Null while the process runs. */
  end: End | null
}

function createWorkerSlot({ name, drainMs, log, fork, countLost }: SlotOptions) {
  let isOpen = false
  let isClosed = false
  let current: Tenant | null = null
  let lastPauseMs = 0
  let timer: NodeJS.Timeout | undefined
  let replacing: Promise<boolean> | null = null

  function begin(source?: WorkerSource): Tenant {
    const worker = fork(name, isOpen, source)
    const tenant: Tenant = { worker, startedAt: performance.now(), end: null }
    void worker.ended.then((end) => {
      tenant.end = end
      onEnded(worker, end)
    })
    return tenant
  }

  function onEnded(worker: WorkerProcess, end: End) {
    // A worker that could not start has logged its error itself, if it has exited.
    if (!worker.isReady()) return lose(worker, end.code === null ? 'error' : 'warn', describeEarlyEnd(end))
    const how = describeEnd(end)
    const requests = worker.describeRequests()
    if (end.signal !== null && (isClosed || (isOpen && current?.worker !== worker)))
      log.error({ worker: worker.pid }, `worker ${name} ${how} while it was stopping (${requests})`)
    else lose(worker, 'error', `${how} (${requests})`)
  }

  function fill(): WorkerProcess {
    current = begin()
    return current.worker
  }

  function fillAfter(pauseMs: number) {
    timer = setTimeout(fill, pauseMs)
  }

  function lose(worker: WorkerProcess, level: 'warn' | 'error', why: string) {
    if (!isOpen || isClosed || current?.worker !== worker) return
    const livedMs = performance.now() - current.startedAt
    current = null
    countLost()
    const text = `worker ${name} ${why}`
    if (replacing) return log[level]({ worker: worker.pid }, `${text}; its replacement is starting`)
    lastPauseMs = backOff(lastPauseMs, livedMs)
    log[level]({ worker: worker.pid }, `${text}; a replacement starts in ${lastPauseMs} ms`)
    fillAfter(lastPauseMs)
  }

  async function replace(source?: WorkerSource): Promise<boolean> {
    while (replacing) await replacing
    if (isClosed) return true
    replacing = startSuccessor(source)
    return replacing
  }

  async function startSuccessor(source?: WorkerSource): Promise<boolean> {
    clearTimeout(timer)
    const successor = begin(source)
    const { worker } = successor
    const isReady = (await worker.ready) !== null
    const end = isReady ? null : await worker.ended
    replacing = null
    if (isClosed) return true
    if (end === null) {
      void current?.worker.stop({ delayMs: 0, othersServe: true }, drainMs)
      current = successor
      return true
    }
    if (end.code === null) log.error({ worker: worker.pid }, `worker ${name} ${describeEarlyEnd(end)}`)
    if (current === null) fillAfter(lastPauseMs)
    return false
  }

  return {
    name,
    /** The worker that has this place, ready or not; null while none has it. */
    current: (): WorkerProcess | null => current?.worker ?? null,
    /** Starts the first worker. It is not replaced when it is lost before `open` is called. */
    fill,
    /** From now on each worker that is lost is replaced. */
    open() {
      isOpen = true
      if (current?.end) onEnded(current.worker, current.end)
    },
    /** Starts another worker in the place of one that is lost. Does nothing when the worker does not have this place. */
    onLost: (worker: WorkerProcess, why: string) => lose(worker, 'warn', why),
    /** Starts a successor, and then stops the worker; false if it could not. Waits for one that is starting. */
    replace,
    isReplacing: () => replacing !== null,
    /** From now on no worker is started. Those that run are not stopped. */
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

function describeEnd({ code, signal }: End): string {
  return signal === null ? `exited with code ${code}` : `was killed by ${signal}`
}

/** Describes the end of a worker that was not ready. */
export function describeEarlyEnd(end: End): string {
  return end.error ? `could not be started: ${messageOf(end.error)}` : `${describeEnd(end)} before it was ready`
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
/** A worker that ran for this time started well: the pauses begin again with the first. */
const HEALTHY_MS = 10_000

/** Returns the milliseconds to wait before a lost worker is replaced. `lastPauseMs` is the pause before, 0 for none. */
export function backOff(lastPauseMs: number, livedMs: number): number {
  if (lastPauseMs === 0 || livedMs >= HEALTHY_MS) return FIRST_PAUSE_MS
  return Math.min(MAX_PAUSE_MS, lastPauseMs * 2)
}
