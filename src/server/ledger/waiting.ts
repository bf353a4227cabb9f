import { addEntry, addRecord, entryOf } from './gather.ts'
import type { FailureRecord, KeptError, LedgerEntry, Occurrence } from './ledger.ts'

const MAX_CAUSES = 2_000
/** Of one cause: in a storm its newest will do. */
const MAX_OCCURRENCES = 100
/** What an occurrence, or a frame, takes besides its long texts. */
const SMALL_TEXTS = 300

/** What waits to be written, by cause. */
export interface Waiting {
  readonly causes: number
  /** False when there is no room for it. */
  add(record: FailureRecord): boolean
  /** Returns how many failures there is no room for. */
  addAll(entries: readonly LedgerEntry[]): number
  /** The same for what could not be written, which comes before what has come meanwhile. */
  putBack(batch: readonly LedgerEntry[]): number
  /** Takes out the first causes. */
  take(count: number): LedgerEntry[]
  /** Failures, of all causes. */
  count(): number
}

/** Holds so many characters at the most, and of causes and their occurrences so many. Beyond, known causes are only counted. */
export function createWaiting(maxCharacters: number): Waiting {
  const entries = new Map<string, LedgerEntry>()
  const sizes = new Map<string, number>()
  let total = 0

  function setSize(cause: string, size: number) {
    total += size - (sizes.get(cause) ?? 0)
    sizes.set(cause, size)
  }

  function addNew(entry: LedgerEntry): boolean {
    if (entries.size >= MAX_CAUSES || total + sizeOfEntry(entry) > maxCharacters) return false
    insert(entry)
    return true
  }

  function insert(entry: LedgerEntry) {
    entries.set(entry.cause, entry)
    setSize(entry.cause, sizeOfEntry(entry))
  }

  const mostOccurrences = () => (total < maxCharacters ? MAX_OCCURRENCES : 1)

  function addAll(batch: readonly LedgerEntry[]): number {
    let dropped = 0
    for (const entry of batch) {
      const known = entries.get(entry.cause)
      if (known) {
        addEntry(known, entry, mostOccurrences())
        setSize(entry.cause, sizeOfEntry(known))
      } else if (!addNew(entry)) dropped += entry.count
    }
    return dropped
  }

  function take(count: number): LedgerEntry[] {
    const batch = [...entries.values()].slice(0, count)
    for (const { cause } of batch) {
      entries.delete(cause)
      total -= sizes.get(cause) ?? 0
      sizes.delete(cause)
    }
    return batch
  }

  return {
    get causes() {
      return entries.size
    },
    add(record) {
      const known = entries.get(record.cause)
      if (!known) return addNew(entryOf(record))
      const removed = addRecord(known, record, mostOccurrences())
      setSize(record.cause, (sizes.get(record.cause) ?? 0) + sizeOf(record) - sum(removed, sizeOf))
      return true
    },
    addAll,
    putBack(batch) {
      const later = take(entries.size)
      for (const entry of batch) insert(entry)
      return addAll(later)
    },
    take,
    count: () => sum([...entries.values()], ({ count }) => count),
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
