import type { KeptFailures } from './kept-failures.ts'
import type { Held } from './server.ts'
import { type Tally, total } from './tally.ts'

/** The server's resources at one time during the load. */
export interface Sample {
  seconds: number
  held: Held
}

export interface Verdict {
  isMet: boolean
  text: string
}

/** The maximum ratio of the memory at the end to the memory after the first minute. */
const MAX_GROWTH = 1.1

export const MINUTE = 60
export const heapOf = ({ memory }: Held) => memory.heapUsed + memory.external
export const residentOf = ({ memory }: Held) => memory.rss

/**
 * Compares the heap without requests, after a garbage collection. This shows leaks. With requests in flight, the heap
 * varies by chance.
 */
export function judgeHeap(afterFirstMinute: Held, atEnd: Held): Verdict {
  return judgeGrowth('heap in use, without a request', heapOf(afterFirstMinute), heapOf(atEnd))
}

/**
 * Compares the median resident memory of the second minute with that of the last. Resident memory includes buffers,
 * threads, SQLite and fragmented free memory.
 */
export function judgeResident(samples: readonly Sample[]): Verdict {
  const minutes = Math.max(...samples.map(minuteOf))
  const medianOf = (minute: number) =>
    median(samples.filter((sample) => minuteOf(sample) === minute).map(({ held }) => residentOf(held)))
  return judgeGrowth('resident memory, under load', medianOf(2), medianOf(minutes))
}

/** Returns the minute of a sample. The first minute is 1. */
export function minuteOf({ seconds }: Sample): number {
  return Math.ceil(seconds / MINUTE)
}

function judgeGrowth(what: string, before: number, after: number): Verdict {
  const growth = after / before
  const text = `${what}: ${megabytes(before)} MB after the first minute, ${megabytes(after)} MB at the end: × ${growth.toFixed(2)}, at most × ${MAX_GROWTH}`
  return { isMet: growth <= MAX_GROWTH, text }
}

export function descriptorsOf({ descriptors }: Held): number {
  return Object.values(descriptors).reduce((sum, count) => sum + count, 0)
}

/** Describes each resource of which `after` has more than `before`. */
export function leftovers(before: Held, after: Held): string[] {
  const [known, found] = [countsOf(before), countsOf(after)]
  return Object.entries(found)
    .filter(([name, count]) => count > (known[name] ?? 0))
    .map(([name, count]) => `${name}: ${known[name] ?? 0} before, ${count} after`)
}

export function judgeLeftovers(before: Held, after: Held): Verdict {
  const left = leftovers(before, after)
  const held = `${descriptorsOf(after)} descriptors, ${after.objects.Timeout} timers, ${after.objects.Socket} sockets`
  const text = left.length === 0 ? `no leftovers: ${held}, as before the load` : `leftovers: ${left.join('; ')}`
  return { isMet: left.length === 0, text }
}

export function judgeAnswers(tally: Tally): Verdict {
  const { whole, refused, left, wrong } = total(tally)
  const sum = whole + refused + left + wrong
  const text = `${sum} requests: ${whole} whole responses, ${refused} clean refusals, ${left} aborted by the visitor, ${wrong} wrong`
  return { isMet: wrong === 0, text }
}

export function judgeFailures({ failures }: Tally, { logged, kept, strange }: KeptFailures): Verdict[] {
  return [
    {
      isMet: failures === logged && logged === kept,
      text: `${failures} failures in responses, ${logged} in the log, ${kept} in the ledger`,
    },
    { isMet: strange.length === 0, text: `${strange.length} unexpected log lines` },
  ]
}

// Ignores `FileHandleReadWrap`: Node keeps up to a hundred of them to reuse for the next file.
function countsOf({ descriptors, temporaryFolders, resources, objects }: Held): Record<string, number> {
  const { FileHandleReadWrap: _, ...active } = resources
  const open = Object.entries(descriptors).map(([name, count]) => [`open: ${name}`, count] as const)
  return { 'temporary folders': temporaryFolders, ...Object.fromEntries(open), ...active, ...objects }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = 0, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return (low + high) / 2
}

export function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
