import { EVERY_TAG, type Versions } from './shared-store.ts'

/** If more invalidations wait, one invalidation of all tags replaces them. */
const MAX_WAITING = 1_000

/** The invalidations of this process that the store has not recorded yet. */
export interface OwnInvalidations {
  /** Sends an invalidation. If that fails, the invalidation waits for `sendAll`. */
  send(tags: readonly string[]): Promise<Versions>
  /** Keeps an invalidation for `sendAll`. */
  keep(tags: readonly string[]): void
  /** Sends the pending invalidations that are not in flight. Resolves with null if there are none. */
  sendAll(): Promise<Versions | null>
  /** Whether an invalidation that is not recorded yet has one of the tags. */
  cover(tags: readonly string[]): boolean
}

/** `record` records an invalidation. `onRecorded` is called after that. */
export function createOwnInvalidations(
  record: (tags: readonly string[]) => Promise<Versions>,
  onRecorded: (tags: readonly string[]) => void,
): OwnInvalidations {
  let waiting: (readonly string[])[] = []
  const sending = new Set<readonly string[]>()

  function keep(tags: readonly string[]) {
    if (waiting.length >= MAX_WAITING) waiting = [[EVERY_TAG]]
    else waiting.push(tags)
  }

  async function sendBatch(batch: readonly (readonly string[])[]): Promise<Versions> {
    const tags = [...new Set(batch.flat())]
    for (const one of batch) sending.add(one)
    try {
      const versions = await record(tags.includes(EVERY_TAG) ? [EVERY_TAG] : tags)
      waiting = waiting.filter((one) => !batch.includes(one))
      onRecorded(tags)
      return versions
    } finally {
      for (const one of batch) sending.delete(one)
    }
  }

  return {
    send(tags) {
      keep(tags)
      return sendBatch(waiting.includes(tags) ? [tags] : [...waiting])
    },
    keep,
    async sendAll() {
      const batch = waiting.filter((one) => !sending.has(one))
      return batch.length > 0 ? sendBatch(batch) : null
    },
    cover: (tags) => waiting.some((batch) => matches(batch, tags)),
  }
}

/** Whether an invalidation concerns a response with these tags. */
export function matches(invalidated: readonly string[] | ReadonlySet<string>, tags: readonly string[]): boolean {
  const set = new Set(invalidated)
  return set.has(EVERY_TAG) || tags.some((tag) => set.has(tag))
}
