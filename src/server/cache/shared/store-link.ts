import { startDeadline } from '../../util/deadline.ts'
import type { Changes, StoreBackend } from './backend.ts'
import type { OwnInvalidations } from './own-invalidations.ts'
import { CALL_MS, EVERY_TAG, type Versions } from './shared-store.ts'
import { createStoreOutage, type StoreLog } from './store-outage.ts'

/** How often the versions are read without a reason, which notices connections that are silently broken. */
const HEARTBEAT_MS = 5_000
/** The pause before a failed attempt is repeated. */
const RETRY_MS = 1_000

export interface LinkInput {
  backend: StoreBackend
  own: Pick<OwnInvalidations, 'sendAll'>
  log: StoreLog
  /** Names the store in the log, without secrets. */
  place: string
  onChanged(tags: readonly string[]): void
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
  /** Catches up, now or after the attempt that runs. */
  refresh(): void
  close(): void
}

export function createStoreLink({ backend, own, log, place, onAway, ...input }: LinkInput): StoreLink {
  const { deadline = startDeadline, onChanged } = input
  const outage = createStoreOutage(log, place)
  let seen: Versions | null = null
  let isConnected = false
  let isUp = false
  let isRefreshing = false
  let isRefreshWanted = false
  let retry: NodeJS.Timeout | undefined

  function goAway(error: unknown) {
    outage.failed(error)
    if (!isUp) return
    isUp = false
    onAway()
  }

  function apply({ versions, tags }: Changes) {
    const isKnown = seen !== null && tags !== null && seen.epoch === versions.epoch
    const last = isKnown && seen ? seen.sequence : -1
    const changed = isKnown ? tags.filter(([, sequence]) => sequence > last).map(([tag]) => tag) : [EVERY_TAG]
    if (versions.sequence > last) seen = versions
    if (changed.length > 0) onChanged(changed)
  }

  async function catchUp(): Promise<Versions> {
    const changes = await backend.changes(seen)
    apply(changes)
    return changes.versions
  }

  async function refresh() {
    clearTimeout(retry)
    isRefreshWanted = true
    if (isRefreshing || !isConnected) return
    isRefreshing = true
    try {
      while (isRefreshWanted) {
        isRefreshWanted = false
        await own.sendAll()
        await catchUp()
      }
      isUp = isConnected
      if (isUp) outage.ended()
    } catch (error) {
      goAway(error)
      retry = setTimeout(refresh, RETRY_MS).unref()
    }
    isRefreshing = false
  }

  let hasBeat = true
  const heartbeat = setInterval(() => {
    // An attempt that has lasted since the previous beat gets no response any more.
    if (isRefreshing && !hasBeat) backend.reconnect()
    hasBeat = !isRefreshing
    void refresh()
  }, HEARTBEAT_MS).unref()

  backend.open({
    connected() {
      isConnected = true
      void refresh()
    },
    disconnected(error) {
      isConnected = false
      goAway(error)
    },
    advanced: () => void refresh(),
    settled: input.onSettled,
  })

  return {
    ask<T>(call: () => Promise<T>) {
      if (!isUp) return Promise.resolve(null)
      return new Promise<T | null>((resolve) => {
        const cancel = deadline(CALL_MS, () => {
          goAway(new Error(`no response within ${CALL_MS} ms`))
          void refresh()
          resolve(null)
        })
        call()
          .then(resolve, (error: unknown) => {
            outage.failed(error)
            resolve(null)
          })
          .finally(cancel)
      })
    },
    catchUp,
    note(versions) {
      if (seen?.epoch === versions.epoch && versions.sequence === seen.sequence + 1) seen = versions
      else void refresh()
    },
    refresh: () => void refresh(),
    close() {
      clearInterval(heartbeat)
      clearTimeout(retry)
      outage.stop()
      isConnected = false
      isUp = false
    },
  }
}
