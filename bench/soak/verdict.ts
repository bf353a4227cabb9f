import { availableParallelism, totalmem } from 'node:os'
import { table } from '../report/table.ts'
import { median } from '../statistics.ts'
import { type Tally, total } from './load.ts'
import type { Held, KeptFailures } from './server.ts'

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
const heapOf = ({ memory }: Held) => memory.heapUsed + memory.external
const residentOf = ({ memory }: Held) => memory.rss

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
function minuteOf({ seconds }: Sample): number {
  return Math.ceil(seconds / MINUTE)
}

function judgeGrowth(what: string, before: number, after: number): Verdict {
  const growth = after / before
  const text = `${what}: ${megabytes(before)} MB after the first minute, ${megabytes(after)} MB at the end: × ${growth.toFixed(2)}, at most × ${MAX_GROWTH}`
  return { isMet: growth <= MAX_GROWTH, text }
}

function descriptorsOf({ descriptors }: Held): number {
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

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

export function verdictLine({ isMet, text }: Verdict): string {
  return `${isMet ? 'met' : 'NOT MET'}: ${text}`
}

export function sampleLine({ seconds, held }: Sample): string {
  const { resources } = held
  const parts = [
    `${seconds} s`.padStart(6),
    `heap ${megabytes(heapOf(held))} MB`,
    `resident ${megabytes(residentOf(held))} MB`,
    `${descriptorsOf(held)} descriptors`,
    `${resources.TCPSocketWrap ?? 0} sockets`,
    `${resources.Timeout ?? 0} timers`,
  ]
  return parts.join('  ')
}

/** Formats the figures of a run for the documentation. */
export function toMarkdown(minutes: number, verdicts: readonly Verdict[]): string {
  const memory = Math.round(totalmem() / 2 ** 30)
  const [major] = process.versions.node.split('.')
  return [
    `${new Date().toISOString().slice(0, 10)}, \`npm run soak -- --minutes ${minutes}\`, Node.js ${major} (${process.version}), ${process.platform} ${process.arch}, ${availableParallelism()} cores shared with other work, ${memory} GB:`,
    verdicts.map((verdict) => `- ${verdictLine(verdict)}`).join('\n'),
  ].join('\n\n')
}

/** Lists the minutes with the resources that the server held. */
export function minutesTable(minutes: number, samples: readonly Sample[]): string {
  return table(
    ['minute', 'heap in use, MB', 'resident memory, MB', 'descriptors', 'sockets', 'timers'],
    Array.from({ length: minutes }, (_, index) => minuteRow(index + 1, samples)),
  )
}

/** Lists the kinds of requests with the number of their responses. */
export function kindsTable({ rows }: Tally): string {
  return table(
    ['request', 'whole', 'refused', 'aborted', 'wrong'],
    [...rows].map(([name, { whole, refused, left, wrong }]) => [name, ...[whole, refused, left, wrong].map(String)]),
  )
}

/** Formats the minimum and maximum of each figure in one minute. */
function minuteRow(minute: number, samples: readonly Sample[]): string[] {
  const own = samples.filter((sample) => minuteOf(sample) === minute)
  const range = (read: (held: Held) => number, show: (value: number) => string) => {
    const values = own.map(({ held }) => read(held))
    return `${show(Math.min(...values))} to ${show(Math.max(...values))}`
  }
  return [
    String(minute),
    range(heapOf, megabytes),
    range(residentOf, megabytes),
    range(descriptorsOf, String),
    range(({ resources }) => resources.TCPSocketWrap ?? 0, String),
    range(({ resources }) => resources.Timeout ?? 0, String),
  ]
}
