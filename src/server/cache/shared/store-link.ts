import { startDeadline } from '../../util/deadline.ts'
import type { StoreBackend } from './backend.ts'
import type { OwnInvalidations } from './own-invalidations.ts'
import { createSeenVersions } from './seen-versions.ts'
import { CALL_MS, type Versions } from './shared-store.ts'
import { createStoreOutage, type StoreLog } from './store-outage.ts'

/** How often the versions are read without any other reason, to detect a connection that is broken silently. */
const HEARTBEAT_MS = 5_000
/** The pause before a failed attempt is repeated. */
const RETRY_MS = 1_000

export interface LinkInput {
  backend: StoreBackend
  invalidations: Pick<OwnInvalidations, 'sendAll'>
  log: StoreLog
  /** Names the store in the log, without secrets. */
  place: string
  /** @param isStart Whether the first response of the store does not contain the earlier invalidations. */
  onChanged(tags: readonly string[], isStart: boolean): void
  onSettled(key: string): void
  /** Called when the store becomes unavailable. */
  onAway(): void
  /** Replaces the timer of the deadlines in tests. */
  deadline?: typeof startDeadline
}

/** Knows whether a store is available, and which versions this process has seen. */
export interface StoreLink {
  /** Runs a call within `CALL_MS`. Resolves with null when the store is unavailable or the call fails. */
  ask<T>(call: () => Promise<T>): Promise<T | null>
  /** Reads what has been invalidated, and passes it on. */
  catchUp(): Promise<Versions>
  /** Notes the versions after an invalidation of this process. */
  note(versions: Versions): void
  /** Catches up, now or after the attempt that is running. */
  refresh(): void
  close(): void
}

export function createStoreLink(input: LinkInput): StoreLink {
  const { backend, invalidations, onAway, deadline = startDeadline } = input
  const outage = createStoreOutage(input.log, input.place)
  const seen = createSeenVersions(input.onChanged)
  let isConnected = false
  let isUp = false

  function goAway(error: unknown) {
    outage.failed(error)
    if (!isUp) return
    isUp = false
    onAway()
  }

  async function catchUp(): Promise<Versions> {
    const changes = await backend.changes(seen.current())
    seen.take(changes)
    return changes.versions
  }

  const refresher = createRefresher({
    async run() {
      if (!isConnected) return
      await invalidations.sendAll()
      await catchUp()
      isUp = isConnected
      if (isUp) outage.ended()
    },
    onFailed: goAway,
    onStuck: backend.reconnect,
  })

  backend.open({
    connected() {
      isConnected = true
      refresher.run()
    },
    disconnected(error) {
      isConnected = false
      goAway(error)
    },
    advanced: refresher.run,
    settled: input.onSettled,
  })

  function onLate() {
    goAway(new Error(`no response within ${CALL_MS} ms`))
    refresher.run()
  }

  return {
    ask: async (call) => (isUp ? callWithin({ call, deadline, onLate, onFailed: outage.failed }) : null),
    catchUp,
    note(versions) {
      if (!seen.follow(versions)) refresher.run()
    },
    refresh: refresher.run,
    close() {
      refresher.stop()
      outage.stop()
      isConnected = false
      isUp = false
    },
  }
}

interface TimedCall<T> {
  call(): Promise<T>
  deadline: typeof startDeadline
  onLate(): void
  onFailed(error: unknown): void
}

/** Resolves with null when the call fails, or does not respond within `CALL_MS`. */
function callWithin<T>({ call, deadline, onLate, onFailed }: TimedCall<T>): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = deadline(CALL_MS, () => {
      onLate()
      resolve(null)
    })
    call()
      .then(resolve, (error: unknown) => {
        onFailed(error)
        resolve(null)
      })
      .finally(cancel)
  })
}

interface Refreshing {
  run(): Promise<void>
  onFailed(error: unknown): void
  /** Called when an attempt gets no response. */
  onStuck(): void
}

/** Runs attempts one after another: when `run` is called, at intervals, and again after a failure. */
function createRefresher({ run, onFailed, onStuck }: Refreshing) {
  let isRunning = false
  let isWanted = false
  let isStopped = false
  let attempts = 0
  let attemptsBefore = 0
  let retry: NodeJS.Timeout | undefined

  async function runAll() {
    clearTimeout(retry)
    isWanted = true
    if (isRunning || isStopped) return
    isRunning = true
    try {
      while (isWanted) {
        isWanted = false
        attempts++
        await run()
      }
    } catch (error) {
      if (!isStopped) {
        onFailed(error)
        retry = setTimeout(runAll, RETRY_MS).unref()
      }
    }
    isRunning = false
  }

  const heartbeat = setInterval(() => {
    // An attempt that has been running since the previous heartbeat will get no response.
    if (isRunning && attempts === attemptsBefore) onStuck()
    void runAll()
    attemptsBefore = attempts
  }, HEARTBEAT_MS).unref()

  return {
    run: () => void runAll(),
    stop() {
      isStopped = true
      clearInterval(heartbeat)
      clearTimeout(retry)
    },
  }
}
