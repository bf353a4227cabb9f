import type { FailureRecord, KeptError, Occurrence } from '../errors/failure-record.ts'
import { addRecord, cutOccurrences, mergeEntry, occurrenceOf, toEntry } from './entries.ts'
import type { LedgerEntry } from './ledger.ts'

const MAX_FAILURES = 2_000
/** Of each failure; in a storm the newest are enough. Up to twice as many wait, so that they are not cut each time. */
const MAX_OCCURRENCES = 100
/** What an occurrence, or a frame, takes besides its long texts. */
const SMALL_TEXTS = 300

/** The failures that wait to be written, by fingerprint and side. */
export interface WriteQueue {
  readonly failures: number
  /** False when there is no room for it. */
  add(record: FailureRecord): boolean
  /** Returns how many occurrences there is no room for. */
  addAll(entries: readonly LedgerEntry[]): number
  /** Takes out the first failures, in order to write them; what they take counts until `release`. */
  take(count: number): LedgerEntry[]
  /** What was taken out has been written. */
  release(): void
  /** The occurrences of all failures. */
  count(): number
}

/**
 * Holds at most `maxCharacters`, 2,000 failures, and 100 occurrences of each. Beyond that, failures that wait already
 * are only counted.
 */
export function createWriteQueue(maxCharacters: number): WriteQueue {
  const byKey = new Map<string, { entry: LedgerEntry; size: number }>()
  const keyOf = ({ fingerprint, side }: Pick<LedgerEntry, 'fingerprint' | 'side'>) => `${side} ${fingerprint}`
  let total = 0
  /** Of what has been taken out. */
  let taken = 0

  function grow(held: { size: number }, by: number) {
    held.size += by
    total += by
  }

  function addNew(entry: LedgerEntry): boolean {
    const size = sizeOfEntry(entry)
    if (byKey.size >= MAX_FAILURES || total + size > maxCharacters) return false
    byKey.set(keyOf(entry), { entry, size })
    total += size
    return true
  }

  const isFull = () => total >= maxCharacters
  const mostOccurrences = () => (isFull() ? 1 : MAX_OCCURRENCES)

  return {
    get failures() {
      return byKey.size
    },
    add(record) {
      const held = byKey.get(keyOf(record))
      if (!held) return addNew(toEntry(record))
      const { entry } = held
      addRecord(entry, record)
      grow(held, sizeOf(record))
      const isLong = entry.occurrences.length > 2 * MAX_OCCURRENCES
      if (isFull() || isLong) grow(held, -sum(cutOccurrences(entry, mostOccurrences()), sizeOf))
      return true
    },
    addAll(batch) {
      let dropped = 0
      for (const entry of batch) {
        const held = byKey.get(keyOf(entry))
        if (held) {
          mergeEntry(held.entry, entry, mostOccurrences())
          grow(held, sizeOfEntry(held.entry) - held.size)
        } else if (!addNew(entry)) dropped += entry.count
      }
      return dropped
    },
    take(count) {
      const batch = [...byKey.values()].slice(0, count)
      return batch.map(({ entry, size }) => {
        byKey.delete(keyOf(entry))
        taken += size
        cutOccurrences(entry, MAX_OCCURRENCES)
        // Of most occurrences in a storm only their number is ever read.
        entry.occurrences = entry.occurrences.map(occurrenceOf)
        return entry
      })
    },
    release() {
      total -= taken
      taken = 0
    },
    count: () => sum([...byKey.values()], ({ entry }) => entry.count),
  }
}

function sizeOfEntry({ error, occurrences }: LedgerEntry): number {
  return sizeOfError(error) + sum(occurrences, sizeOf)
}

function sizeOf({ message, path, pending = [] }: Occurrence): number {
  return SMALL_TEXTS + message.length + (path ?? '').length + sum(pending, ({ length }) => length)
}

function sizeOfError({ message, stack, cause, errors = [] }: KeptError): number {
  const frames = sum(stack, (frame) => SMALL_TEXTS + sum(frame.code?.lines ?? [], ({ length }) => length))
  return message.length + frames + (cause ? sizeOfError(cause) : 0) + sum(errors, sizeOfError)
}

function sum<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  let all = 0
  for (const item of items) all += sizeOf(item)
  return all
}
