import type { FailureRecord, KeptError, Occurrence } from '../errors/failure-record.ts'
import { addRecord, countOccurrences, cutOccurrences, mergeEntry, toEntry } from './entries.ts'
import type { LedgerEntry } from './ledger.ts'

const MAX_FAILURES = 2_000
/** Occurrences of each failure; in a storm the newest are enough. Up to twice as many wait, to cut them less often. */
const MAX_OCCURRENCES = 100
/** Characters that an occurrence, or a frame, is counted with, in addition to its long texts. */
const BASE_SIZE = 300

/** The failures that wait to be written, by fingerprint and side. */
export interface WriteQueue {
  isEmpty(): boolean
  /** Adds an occurrence. Returns false if there is no space for it. */
  add(record: FailureRecord): boolean
  /** Adds a batch. Returns the number of occurrences that there is no space for. */
  addAll(entries: readonly LedgerEntry[]): number
  /**
   * Returns the first failures, to write them. Until `release` is called, it returns the same array, so that a
   * ledger recognizes a batch that is written again. Until then the batch uses space in the queue.
   */
  batch(maxFailures: number): readonly LedgerEntry[]
  /** Removes the batch, because it was written. */
  release(): void
  /** The number of occurrences, with those of the batch. */
  count(): number
}

interface QueuedEntry {
  entry: LedgerEntry
  size: number
}

/**
 * Creates a queue for at most `maxCharacters`, 2,000 failures, and 100 occurrences of each. Above a limit, a failure
 * that is queued already keeps fewer occurrences and is still counted; another one is not added.
 */
export function createWriteQueue(maxCharacters: number): WriteQueue {
  const queued = new Map<string, QueuedEntry>()
  let batch: LedgerEntry[] | null = null
  let batchSize = 0
  /** With `batchSize`. */
  let totalSize = 0

  function grow(item: QueuedEntry, by: number) {
    item.size += by
    totalSize += by
  }

  function addNew(entry: LedgerEntry): boolean {
    const size = sizeOfEntry(entry)
    if (queued.size >= MAX_FAILURES || totalSize + size > maxCharacters) return false
    queued.set(keyOf(entry), { entry, size })
    totalSize += size
    return true
  }

  const isFull = () => totalSize >= maxCharacters
  const maxOccurrences = () => (isFull() ? 1 : MAX_OCCURRENCES)

  function take({ entry, size }: QueuedEntry): LedgerEntry {
    queued.delete(keyOf(entry))
    batchSize += size
    cutOccurrences(entry, MAX_OCCURRENCES)
    return entry
  }

  return {
    isEmpty: () => batch === null && queued.size === 0,
    add(record) {
      const item = queued.get(keyOf(record))
      if (!item) return addNew(toEntry(record))
      const { entry } = item
      addRecord(entry, record)
      grow(item, sizeOf(record))
      const isLong = entry.occurrences.length > 2 * MAX_OCCURRENCES
      if (isFull() || isLong) grow(item, -sum(cutOccurrences(entry, maxOccurrences()), sizeOf))
      return true
    },
    addAll(entries) {
      let dropped = 0
      for (const entry of entries) {
        const item = queued.get(keyOf(entry))
        if (item) {
          mergeEntry(item.entry, entry, maxOccurrences())
          grow(item, sizeOfEntry(item.entry) - item.size)
        } else if (!addNew(entry)) dropped += entry.count
      }
      return dropped
    },
    batch(maxFailures) {
      batch ??= [...queued.values()].slice(0, maxFailures).map(take)
      return batch
    },
    release() {
      totalSize -= batchSize
      batchSize = 0
      batch = null
    },
    count: () => countOccurrences([...[...queued.values()].map(({ entry }) => entry), ...(batch ?? [])]),
  }
}

function keyOf({ fingerprint, side }: Pick<LedgerEntry, 'fingerprint' | 'side'>): string {
  return `${side} ${fingerprint}`
}

function sizeOfEntry({ error, occurrences }: LedgerEntry): number {
  return sizeOfError(error) + sum(occurrences, sizeOf)
}

function sizeOf({ message, path, pending = [] }: Occurrence): number {
  return BASE_SIZE + message.length + (path ?? '').length + sum(pending, ({ length }) => length)
}

function sizeOfError({ message, stack, cause, errors = [] }: KeptError): number {
  const frames = sum(stack, (frame) => BASE_SIZE + sum(frame.code?.lines ?? [], ({ length }) => length))
  return message.length + frames + (cause ? sizeOfError(cause) : 0) + sum(errors, sizeOfError)
}

function sum<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  let all = 0
  for (const item of items) all += sizeOf(item)
  return all
}
