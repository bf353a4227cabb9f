import type { FailureRecord, KeptError, Occurrence } from '../errors/failure-record.ts'
import { addRecord, cutOccurrences, mergeEntry, occurrenceOf, toEntry } from './entries.ts'
import type { LedgerEntry } from './ledger.ts'

const MAX_CAUSES = 2_000
/** Of one cause: in a storm its newest will do. Up to twice as many wait, so that they are cut once for many. */
const MAX_OCCURRENCES = 100
/** What an occurrence, or a frame, takes besides its long texts. */
const SMALL_TEXTS = 300

/** What waits to be written, by cause and side. */
export interface WriteQueue {
  readonly causes: number
  /** False when there is no room for it. */
  add(record: FailureRecord): boolean
  /** Returns how many failures there is no room for. */
  addAll(entries: readonly LedgerEntry[]): number
  /** Takes out the first causes, in order to write them; what they take counts until `release`. */
  take(count: number): LedgerEntry[]
  /** What was taken out has been written. */
  release(): void
  /** Failures, of all causes. */
  count(): number
}

/** Holds so many characters at the most, and of causes and their occurrences so many. Beyond, known causes are only counted. */
export function createWriteQueue(maxCharacters: number): WriteQueue {
  const byCause = new Map<string, { entry: LedgerEntry; size: number }>()
  const keyOf = ({ cause, side }: Pick<LedgerEntry, 'cause' | 'side'>) => `${side} ${cause}`
  let total = 0
  /** Of what has been taken out. */
  let taken = 0

  function grow(held: { size: number }, by: number) {
    held.size += by
    total += by
  }

  function addNew(entry: LedgerEntry): boolean {
    const size = sizeOfEntry(entry)
    if (byCause.size >= MAX_CAUSES || total + size > maxCharacters) return false
    byCause.set(keyOf(entry), { entry, size })
    total += size
    return true
  }

  const isFull = () => total >= maxCharacters
  const mostOccurrences = () => (isFull() ? 1 : MAX_OCCURRENCES)

  return {
    get causes() {
      return byCause.size
    },
    add(record) {
      const held = byCause.get(keyOf(record))
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
        const held = byCause.get(keyOf(entry))
        if (held) {
          mergeEntry(held.entry, entry, mostOccurrences())
          grow(held, sizeOfEntry(held.entry) - held.size)
        } else if (!addNew(entry)) dropped += entry.count
      }
      return dropped
    },
    take(count) {
      const batch = [...byCause.values()].slice(0, count)
      return batch.map(({ entry, size }) => {
        byCause.delete(keyOf(entry))
        taken += size
        cutOccurrences(entry, MAX_OCCURRENCES)
        // Of most failures of a storm nothing else is ever asked for than how many they are.
        entry.occurrences = entry.occurrences.map(occurrenceOf)
        return entry
      })
    },
    release() {
      total -= taken
      taken = 0
    },
    count: () => sum([...byCause.values()], ({ entry }) => entry.count),
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
