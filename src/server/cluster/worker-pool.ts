import type { FastifyBaseLogger } from 'fastify'
import { type Reload, warnOfSameRelease } from '../build-output/served-build.ts'
import { KEEP_MS } from '../lifecycle/shutdown.ts'
import type { Options } from '../options/options.ts'
import { pauseBefore } from './back-off.ts'
import type { End, WorkerProcess } from './worker-process.ts'

export interface WorkerPool {
  count: number
  timeouts: Pick<Options['timeouts'], 'drainMs' | 'stopDelayMs'>
  log: FastifyBaseLogger
  fork(name: string, isSuccessor: boolean): WorkerProcess
  /** Is told of each worker that has ended. */
  onEnd(worker: WorkerProcess): void
}

/** Keeps a number of workers running. */
export interface Pool {
  /** Resolves with where they listen, or with how the one ended that could not start. */
  start(): Promise<{ addresses: readonly string[] } | { failed: End }>
  /** Puts workers of the build that is on disk in the place of those that run, one after the other. */
  reload(): Promise<void>
  /** Somebody else begins in the place of a worker that is ending by itself. */
  leave(worker: WorkerProcess): void
  /** Ends a worker once its successor is ready. */
  replace(worker: WorkerProcess): void
  /** Those that serve. */
  serving(): WorkerProcess[]
  /** How many have ended without being told to. */
  lostCount(): number
  /** Null before the first. */
  lastReload(): Reload | null
  /** Resolves when all have ended: with true when each of them has finished what it had begun. */
  stop(): Promise<boolean>
  isStopping(): boolean
  /** Ends all at once. */
  kill(): void
}

/** A place for one worker. */
interface Slot {
  name: string
  current: WorkerProcess | null
  startedAt: number
  lastPauseMs: number
  timer: NodeJS.Timeout | undefined
  isReplacing: boolean
}

export function createWorkerPool({ count, timeouts, log, fork, onEnd }: WorkerPool): Pool {
  const slots = Array.from({ length: count }, (_, index): Slot => {
    const none = { startedAt: 0, lastPauseMs: 0, timer: undefined, isReplacing: false }
    return { name: String(index + 1), current: null, ...none }
  })
  const alive = new Set<WorkerProcess>()
  let isStarting = true
  let isStopping = false
  let reloads = 0
  let lastReload: Reload | null = null
  let lost = 0

  function begin(slot: Slot): WorkerProcess {
    const worker = fork(slot.name, !isStarting)
    alive.add(worker)
    void worker.ended.then((end) => {
      alive.delete(worker)
      onEnd(worker)
      if (slot.current === worker) onLost(slot, worker, describe(end))
    })
    return worker
  }

  function fill(slot: Slot): WorkerProcess {
    slot.startedAt = performance.now()
    slot.current = begin(slot)
    return slot.current
  }

  function onLost(slot: Slot, { pid }: WorkerProcess, why: string) {
    if (isStopping || isStarting) return
    lost++
    slot.current = null
    const text = `worker ${slot.name} ${why}`
    if (slot.isReplacing) return log.warn({ worker: pid }, `${text}; its replacement is starting`)
    const pauseMs = pauseBefore(slot.lastPauseMs, performance.now() - slot.startedAt)
    slot.lastPauseMs = pauseMs
    log.warn({ worker: pid }, `${text}; a replacement starts in ${pauseMs} ms`)
    refill(slot, pauseMs)
  }

  function refill(slot: Slot, pauseMs: number) {
    slot.timer = setTimeout(() => fill(slot), pauseMs)
  }

  /** False when the successor could not start. */
  async function replace(slot: Slot): Promise<boolean> {
    if (slot.isReplacing) return true
    slot.isReplacing = true
    clearTimeout(slot.timer)
    const startedAt = performance.now()
    const successor = begin(slot)
    const isReady = (await successor.ready) !== null
    slot.isReplacing = false
    if (isStopping) return true
    if (isReady) {
      const before = slot.current
      Object.assign(slot, { current: successor, startedAt })
      if (before) stopWorker(before)
    } else if (slot.current === null) refill(slot, slot.lastPauseMs)
    return isReady
  }

  function stopWorker(worker: WorkerProcess) {
    if (!worker.isReady()) return worker.kill()
    worker.send({ kind: 'stop', how: { delayMs: 0, othersServe: true } })
    killAfter(worker, timeouts.drainMs)
  }

  // It keeps its deadline by itself, unless it does not even come to that.
  function killAfter(worker: WorkerProcess, deadlineMs: number) {
    const timer = setTimeout(worker.kill, deadlineMs + 2 * KEEP_MS)
    void worker.ended.then(() => clearTimeout(timer))
  }

  const serving = () => slots.flatMap(({ current }) => (current?.isReady() ? [current] : []))

  const slotOf = (worker: WorkerProcess) => slots.find(({ current }) => current === worker)

  return {
    async start() {
      const addresses: (readonly string[])[] = []
      // The first one alone: what keeps it from starting keeps all of them, and is to be said once.
      for (const group of [slots.slice(0, 1), slots.slice(1)]) {
        const workers = group.map(fill)
        for (const worker of workers) {
          const found = await worker.ready
          if (found === null) return { failed: await worker.ended }
          addresses.push(found)
        }
      }
      isStarting = false
      for (const slot of slots) if (slot.current && !alive.has(slot.current)) onLost(slot, slot.current, 'has exited')
      return { addresses: addresses[0] ?? [] }
    },
    async reload() {
      // One that comes meanwhile is for a build that came meanwhile.
      if (reloads++ > 0 || isStopping) return
      for (let done = 0; done < reloads; ) {
        done = reloads
        log.info('reloading: each worker stops when its replacement is ready')
        const [before] = serving()
        const isDone = await allSucceed()
        if (isStopping) return
        lastReload = { at: Date.now(), isDone }
        if (isDone) warnOfSameRelease(before?.served(), serving()[0]?.served(), log)
        if (isDone) log.info('reloaded: all workers serve the build on disk')
        else log.error('the build on disk cannot start: the workers of the previous build continue to serve')
      }
      reloads = 0
    },
    leave(worker) {
      const slot = slotOf(worker)
      if (slot) onLost(slot, worker, 'is shutting down')
    },
    replace(worker) {
      const slot = slotOf(worker)
      if (!slot || isStopping) return
      log.info({ worker: worker.pid }, `worker ${slot.name} was asked to stop: it stops when its replacement is ready`)
      void replace(slot)
    },
    serving,
    lostCount: () => lost,
    lastReload: () => lastReload,
    async stop() {
      isStopping = true
      for (const { timer } of slots) clearTimeout(timer)
      const ends = await Promise.all(
        [...alive].map(async (worker) => {
          const hasServed = worker.isReady()
          if (hasServed) {
            worker.send({ kind: 'stop', how: { delayMs: timeouts.stopDelayMs, othersServe: false } })
            killAfter(worker, timeouts.stopDelayMs + timeouts.drainMs)
          } else worker.kill()
          const { code } = await worker.ended
          return !hasServed || code === 0
        }),
      )
      return ends.every(Boolean)
    },
    isStopping: () => isStopping,
    kill() {
      for (const worker of alive) worker.kill()
    },
  }

  async function allSucceed(): Promise<boolean> {
    for (const slot of slots) if (!(await replace(slot))) return false
    return true
  }
}

function describe({ code, signal }: End): string {
  return signal === null ? `exited with code ${code}` : `was killed by ${signal}`
}
