import type { FastifyBaseLogger } from 'fastify'
import type { End, WorkerProcess, WorkerSource } from './worker-process.ts'

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

/** A place for one worker. */
export interface WorkerSlot {
  name: string
  /** The worker that has this place, ready or not; null while none has it. */
  current(): WorkerProcess | null
  /** Starts the first worker. It is not replaced when it is lost before `open` is called. */
  fill(): WorkerProcess
  /** From now on each worker that is lost is replaced. */
  open(): void
  /** Starts another worker in the place of one that is lost. Does nothing when the worker does not have this place. */
  onLost(worker: WorkerProcess, why: string): void
  /**
   * Starts a successor, and stops the current worker once that is ready. Resolves with false when it could not start.
   * Waits for a successor that is starting already.
   */
  replace(source?: WorkerSource): Promise<boolean>
  isReplacing(): boolean
  /** From now on no worker is started. Those that run are not stopped. */
  close(): void
}

interface Tenant {
  worker: WorkerProcess
  /** In milliseconds of `performance.now()`. */
  startedAt: number
  /** Null while the process runs. */
  end: End | null
}

export function createWorkerSlot({ name, drainMs, log, fork, countLost }: SlotOptions): WorkerSlot {
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
    const how = describeEnd(end)
    // A worker that could not start has logged its error itself, unless a signal has ended it.
    if (!worker.isReady()) return lose(worker, end.signal === null ? 'warn' : 'error', `${how} before it was ready`)
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
    const isReady = (await successor.worker.ready) !== null
    replacing = null
    if (isClosed) return true
    if (isReady) {
      void current?.worker.stop({ delayMs: 0, othersServe: true }, drainMs)
      current = successor
    } else if (current === null) fillAfter(lastPauseMs)
    return isReady
  }

  return {
    name,
    current: () => current?.worker ?? null,
    fill,
    open() {
      isOpen = true
      if (current?.end) onEnded(current.worker, current.end)
    },
    onLost: (worker, why) => lose(worker, 'warn', why),
    replace,
    isReplacing: () => replacing !== null,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

function describeEnd({ code, signal }: End): string {
  return signal === null ? `exited with code ${code}` : `was killed by ${signal}`
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
