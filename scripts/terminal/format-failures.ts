import type { SourceFrame } from '../../src/server/errors/failure-record.ts'
import type { FailureSummary } from '../../src/server/ledger/entries.ts'
import { cutToWidth, type Paint, padToWidth, toLine, widthOf } from './text.ts'

/** The properties of the terminal, and the current time. */
export interface View {
  paint: Paint
  /** The width in columns; infinite when lines are not cut. */
  width: number
  now: number
}

interface Column {
  head: string
  isNumber?: true
  text(failure: FailureSummary): string
}

/** The longest source, in characters: a longer one would leave no room for the message. */
const MAX_SOURCE = 44
const LEAST_MESSAGE = 20

/** Formats a table with a line for each failure, in the given order. */
export function formatFailures(failures: readonly FailureSummary[], { paint, width, now }: View): string[] {
  const columns: Column[] = [
    { head: 'fingerprint', text: ({ fingerprint }) => fingerprint },
    { head: 'side', text: ({ side }) => side },
    { head: 'count', isNumber: true, text: ({ count }) => String(count) },
    { head: 'last seen', text: ({ lastSeen }) => formatAgo(lastSeen, now) },
    { head: 'source', text: ({ source }) => cutStart(source ? locationOf(source) : '–') },
  ]
  const widths = columns.map(({ head, text }) => Math.max(widthOf(head), ...failures.map((one) => widthOf(text(one)))))
  const taken = widths.reduce((sum, one) => sum + one + 2, 0)
  const room = Math.max(LEAST_MESSAGE, width - taken)
  const align = (text: string, index: number) =>
    columns[index]?.isNumber ? text.padStart(widths[index] ?? 0) : padToWidth(text, widths[index] ?? 0)
  const head = [...columns.map((column, index) => align(column.head, index)), 'message'].join('  ')
  return [
    paint('dim', head),
    ...failures.map((failure) => {
      const cells = columns.map(({ text }, index) => align(text(failure), index))
      const [fingerprint = '', ...others] = cells
      const isSolved = failure.solvedAt !== null
      const what = `${isSolved ? 'solved: ' : ''}${toLine(`${failure.type}: ${failure.message}`)}`
      const message = cutToWidth(what, room)
      return [paint('bold', fingerprint), ...others, isSolved ? paint('green', message) : message].join('  ').trimEnd()
    }),
  ]
}

function locationOf({ file, line }: SourceFrame): string {
  return line > 0 ? `${file}:${line}` : file
}

// The end of a path is more useful than its start.
function cutStart(location: string): string {
  const line = toLine(location)
  return line.length > MAX_SOURCE ? `…${line.slice(1 - MAX_SOURCE)}` : line
}

const UNITS = [
  [86_400_000, 'day', 'days'],
  [3_600_000, 'h', 'h'],
  [60_000, 'min', 'min'],
] as const

/** Formats the age of a time: `3 min ago`. A time in the future is `just now`, because clocks of machines differ. */
export function formatAgo(time: number, now: number): string {
  for (const [unitMs, one, many] of UNITS) {
    const count = Math.floor((now - time) / unitMs)
    if (count > 0) return `${count} ${count === 1 ? one : many} ago`
  }
  return 'just now'
}

/** Formats a time: `2026-11-21 19:43:28 UTC`. */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function formatTimeAgo(time: number, now: number): string {
  return `${formatTime(time)} (${formatAgo(time, now)})`
}
