// The link of a process to the server that keeps the shared cache: whether the server is used, what this process has
// seen of it, and the invalidations that it has not recorded yet.
//
// The states are in `link-state.ts`. Every way to `up` leads through `verify`, so the server is used only after
//
// 1. it has told what it is. If it may have lost invalidations, a new epoch begins: everything that is stored is
//    outdated. It may have if its epoch has another server's name or is one that had ended, if its sequence is lower than
//    one that it has told before, or if the connection is a new one and the server does not tell its name.
// 2. this process has dropped what others have invalidated in the meantime;
// 3. the server has recorded what this process has invalidated in the meantime.
//
// An invalidation waits in each process that has heard of it, also in the other workers and in the processes to which
// the server still passes announcements on. Until one of them is the first to have it recorded, none of them reads a
// response with its tags.

import { NO_METRICS, type StoreOperation, type StoreRecorder } from '../../metrics/metrics-recorder.ts'
import { startDeadline } from '../../util/deadline.ts'
import { type Changes, type StoreBackend, serverOf } from './backend.ts'
import { createLinkState, createRefresher, type LinkStep, type StateInput } from './link-state.ts'
import { CALL_MS, EVERY_TAG, type Versions } from './shared-store.ts'

/** Calls back after a time in milliseconds. Returns a function that cancels it. */
type StartDeadline = (ms: number, onPassed: () => void) => () => void

/** An invalidation may be lost when another server takes over. Copies further behind are not expected. */
const REPLICATED_MS = 60_000
/** How many epochs a process remembers, to notice that one of them comes back. */
const MAX_EPOCHS = 100
/** If more invalidations wait, one invalidation of all tags replaces them. */
const MAX_WAITING = 1_000

export interface LinkInput extends StateInput {
  backend: StoreBackend
  /** @param isStart Whether the first response of the store does not contain the earlier invalidations. */
  onChanged(tags: readonly string[], isStart: boolean): void
  /** The server has recorded an invalidation of this process. */
  onRecorded(tags: readonly string[]): void
  onSettled(key: string): void
  /** Replaces the timer of the deadlines in tests. */
  deadline?: StartDeadline
}

export type StoreLink = ReturnType<typeof createStoreLink>

export function createStoreLink(input: LinkInput) {
  const { backend, deadline = startDeadline } = input
  const state = createLinkState(input)
  const seen = createSeenVersions(input.onChanged)
  let recordedAt = Number.NEGATIVE_INFINITY
  let metrics: StoreRecorder = NO_METRICS

  const own = createOwnInvalidations(async (tags) => {
    const versions = await backend.advance(tags)
    recordedAt = performance.now()
    // Noted before the response to a later call is read. Otherwise `catchUp` would report this process's own
    // invalidation.
    if (!seen.follow(versions, tags)) refresher.run('changes')
    return versions
  }, input.onRecorded)

  const { readChanges, verify } = createVerifier({
    backend,
    state,
    seen,
    own,
    wasRecorded: () => performance.now() - recordedAt < REPLICATED_MS,
  })

  async function catchUp(): Promise<Versions> {
    const versions = await readChanges()
    if (own.hasUnsent()) refresher.run('everything')
    return versions
  }

  const refresher = createRefresher({
    async run(depth) {
      if (state.is('away', 'closed')) return true
      const conclude = state.concluding()
      if (state.is('up') && depth === 'changes' && !own.hasUnsent())
        await catchUp().catch((error: unknown) => conclude('failed', error))
      else await verify(conclude)
      // A new connection is verified without a pause.
      return state.is('up', 'away', 'closed')
    },
    onStuck: backend.reconnect,
  })

  backend.open({
    connected() {
      state.step('connected')
      refresher.run('everything')
    },
    disconnected: (error) => state.step('disconnected', error),
    advanced: () => refresher.run('changes'),
    announced: (tags) => hear(tags, null),
    settled: input.onSettled,
  })

  function hear(tags: readonly string[], versions: Versions | null) {
    if (state.is('closed') || seen.includes(versions)) return
    if (versions === null) own.keep([...tags])
    const isNext = versions !== null && seen.follow(versions, tags)
    input.onChanged(tags, false)
    if (!isNext) refresher.run('changes')
  }

  /** Runs a call, and records how long the store takes, also for a response that is too late. */
  function timed<T>(operation: StoreOperation, make: () => Promise<T>): Promise<T> {
    const startedAt = metrics.now()
    const running = make()
    const record = () => metrics.storeCalled(operation, metrics.now() - startedAt)
    running.then(record, record)
    return running
  }

  const call = <T>(isUsed: boolean, operation: StoreOperation, make: () => Promise<T>): Promise<T | null> =>
    isUsed
      ? callWithin(
          () => timed(operation, make),
          deadline,
          (event, error) => {
            if (event === 'late') metrics.storeLate()
            state.step(event, error)
            refresher.run('everything')
          },
        )
      : Promise.resolve(null)
  const write = <T>(operation: StoreOperation, make: () => Promise<T>) => call(state.is('up'), operation, make)

  return {
    /** Runs a call that writes nothing within `CALL_MS`. Resolves with null when the store is unavailable or it fails. */
    read: <T>(operation: StoreOperation, make: () => Promise<T>): Promise<T | null> =>
      call(state.is('up', 'refusing'), operation, make),
    /** Runs a call that the server may refuse, as `read` does. */
    write,
    /** Reads what has been invalidated, and passes it on. */
    catchUp,
    /** Records an invalidation. Resolves with null if it waits, because the server has not recorded it. */
    async invalidate(tags: readonly string[]): Promise<Versions | null> {
      // The tags are copied, because invalidations are compared by identity.
      const batch = [...tags]
      own.keep(batch)
      const versions = await write('invalidate', () => own.send(batch))
      if (versions !== null) return versions
      const isConnected = state.is('doubtful', 'refusing')
      // If the server does not accept it either, the invalidation reaches the other processes when it is recorded.
      if (isConnected && !own.isSending(batch)) backend.announce(batch).catch(() => {})
      refresher.run('everything')
      return null
    },
    /** Takes an invalidation of another process; `versions` is null if the server has not recorded it. */
    hear,
    /** Whether an invalidation that waits has one of the tags. */
    covers: own.cover,
    waitingTags: own.waitingTags,
    /** The versions that this process has seen last; null before the first response of the store. */
    seen: seen.current,
    measure(recorder: StoreRecorder) {
      metrics = recorder
      recorder.countStore(() => ({ isUp: state.is('up'), waiting: own.count() }))
    },
    /** Resolves when no invalidation waits, and after `ms` at the latest, with the tags of those that wait then. */
    async settle(ms: number): Promise<string[]> {
      refresher.run('everything')
      await own.untilEmpty(ms)
      return own.waitingTags()
    },
    close() {
      state.step('closed')
      refresher.stop()
    },
  }
}

interface VerifierInput {
  backend: StoreBackend
  state: ReturnType<typeof createLinkState>
  seen: ReturnType<typeof createSeenVersions>
  own: ReturnType<typeof createOwnInvalidations>
  /** Whether the server has recorded an invalidation of this process lately. */
  wasRecorded(): boolean
}

/** Creates the functions that find out whether the server can be used, and what it may have lost. */
function createVerifier({ backend, state, seen, own, wasRecorded }: VerifierInput) {
  /** The last connection that was verified. */
  let verified = 0

  /** Reads the changes. `name` is what the server says that it is, or undefined if it was not asked. */
  async function readChanges(name?: string | null): Promise<Versions> {
    const since = seen.current()
    const changes = await backend.changes(since)
    const { versions } = changes
    const isReturn = isBehind(versions, since) || seen.isEnded(versions, since)
    const isLost = isReturn || (name !== undefined && hasMoved(versions, since, name))
    seen.take(isLost ? { versions, tags: null } : changes)
    if (isLost) own.keep([EVERY_TAG])
    return versions
  }

  /** Whether the server may have lost invalidations since its epoch began, or since the last connection. */
  function hasMoved({ epoch }: Versions, since: Versions | null, name: string | null): boolean {
    if (name !== null && serverOf(epoch) !== name) return true
    const isReturn = since !== null && verified !== state.connection()
    return isReturn && (name === null || (since.epoch !== epoch && wasRecorded()))
  }

  async function verify(conclude: LinkStep): Promise<void> {
    const current = state.connection()
    try {
      await readChanges(await backend.identify())
      verified = current
    } catch (error) {
      return conclude('failed', error)
    }
    try {
      if ((await own.sendAll()) === null) await backend.probe()
      else await readChanges()
    } catch (error) {
      return conclude('refused', error)
    }
    conclude('verified')
  }

  return { readChanges, verify }
}

/** Whether a server has lost a part of what it has told. Its responses may arrive in any order. */
function isBehind(versions: Versions, since: Versions | null): boolean {
  return since !== null && versions.epoch === since.epoch && versions.sequence < since.sequence
}

/** Resolves with null when the call fails, or does not respond within `CALL_MS`. */
export function callWithin<T>(
  make: () => Promise<T>,
  deadline: StartDeadline,
  onFailed: (event: 'late' | 'rejected', error: unknown) => void,
): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = deadline(CALL_MS, () => {
      onFailed('late', new Error(`no response within ${CALL_MS} ms`))
      resolve(null)
    })
    make()
      .then(resolve, (error: unknown) => {
        onFailed('rejected', error)
        resolve(null)
      })
      .finally(cancel)
  })
}

/** The versions that this process has seen. `onChanged` is called with the tags that are new to this process. */
function createSeenVersions(onChanged: LinkInput['onChanged']) {
  let seen: Versions | null = null
  /** In their order. */
  let epochs: string[] = []

  function see(versions: Versions) {
    if (seen?.epoch !== versions.epoch)
      epochs = [...epochs.filter((epoch) => epoch !== versions.epoch), versions.epoch].slice(-MAX_EPOCHS)
    seen = versions
  }

  return {
    /** Null before the first response of the store. */
    current: () => seen,
    /** Whether the epoch had ended at `since`. It comes back with a copy of the data, for example after `SWAPDB`. */
    isEnded: ({ epoch }: Versions, since: Versions | null) =>
      since !== null && epochs.slice(0, epochs.indexOf(since.epoch)).includes(epoch),
    includes: (versions: Versions | null) =>
      versions !== null && seen?.epoch === versions.epoch && versions.sequence <= seen.sequence,
    /** Takes the changes of a store. All tags are new if they are not known. */
    take({ versions, tags }: Changes) {
      const isFirst = seen === null
      if (tags === null || (seen !== null && seen.epoch !== versions.epoch)) {
        see(versions)
        return onChanged([EVERY_TAG], isFirst)
      }
      // Another response may have arrived since this one was requested.
      const last = seen?.sequence ?? 0
      const changed = tags.filter(([, sequence]) => sequence > last).map(([tag]) => tag)
      if (seen === null || versions.sequence > last) see(versions)
      if (changed.length > 0) onChanged(changed, false)
    },
    /** Takes the versions after an invalidation. Returns false if there were other invalidations in between. */
    follow(versions: Versions, tags: readonly string[]): boolean {
      const isSame = seen?.epoch === versions.epoch || tags.includes(EVERY_TAG)
      if (seen === null || !isSame || versions.sequence !== seen.sequence + 1) return false
      see(versions)
      return true
    },
  }
}

/** The invalidations that the store has not recorded yet. `record` records one. `onRecorded` is called after that. */
function createOwnInvalidations(
  record: (tags: readonly string[]) => Promise<Versions>,
  onRecorded: (tags: readonly string[]) => void,
) {
  let waiting: (readonly string[])[] = []
  const sending = new Set<readonly string[]>()
  let onEmpty = () => {}

  async function sendBatch(batch: readonly (readonly string[])[]): Promise<Versions> {
    const tags = [...new Set(batch.flat())]
    for (const one of batch) sending.add(one)
    try {
      const versions = await record(tags.includes(EVERY_TAG) ? [EVERY_TAG] : tags)
      waiting = waiting.filter((one) => !batch.includes(one))
      onRecorded(tags)
      if (waiting.length === 0) onEmpty()
      return versions
    } finally {
      for (const one of batch) sending.delete(one)
    }
  }

  return {
    /** Keeps an invalidation for `send` and `sendAll`. */
    keep(tags: readonly string[]) {
      if (waiting.length >= MAX_WAITING) waiting = [[EVERY_TAG]]
      else waiting.push(tags)
    },
    /** Sends an invalidation that was kept. If that fails, it waits for `sendAll`. */
    send: (tags: readonly string[]) => sendBatch(waiting.includes(tags) ? [tags] : [...waiting]),
    /** Sends the pending invalidations that are not in flight. Resolves with null if there are none. */
    async sendAll(): Promise<Versions | null> {
      const batch = waiting.filter((one) => !sending.has(one))
      return batch.length > 0 ? sendBatch(batch) : null
    },
    isSending: (tags: readonly string[]) => sending.has(tags),
    /** Whether an invalidation waits that is not in flight. */
    hasUnsent: () => waiting.some((one) => !sending.has(one)),
    waitingTags: () => [...new Set(waiting.flat())],
    count: () => waiting.length,
    /** Whether an invalidation that is not recorded yet has one of the tags. */
    cover: (tags: readonly string[]) => waiting.some((batch) => matches(batch, tags)),
    /** Resolves when nothing waits, and after `ms` at the latest. */
    untilEmpty: (ms: number) =>
      new Promise<void>((resolve) => {
        if (waiting.length === 0) return resolve()
        const timer = setTimeout(resolve, ms)
        onEmpty = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}

export function matches(invalidated: readonly string[] | ReadonlySet<string>, tags: readonly string[]): boolean {
  const set = new Set(invalidated)
  return set.has(EVERY_TAG) || tags.some((tag) => set.has(tag))
}
