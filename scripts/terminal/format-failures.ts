import type { SourceFrame } from '../../src/server/errors/failure-record.ts'
import type { FailureSummary } from '../../src/server/ledger/ledger.ts'
import { formatAgo } from './format-time.ts'
import type { Paint } from './paint.ts'
import { cutToWidth, padToWidth, toLine, widthOf } from './plain-text.ts'

/** What a terminal is like, and what time it is. */
export interface View {
  paint: Paint
  /** Columns; infinite where nothing is cut. */
  width: number
  now: number
}

interface Column {
  head: string
  isNumber?: true
  text(failure: FailureSummary): string
}

/** Longer ones would leave no room for the message. */
const MAX_SOURCE = 44
const LEAST_MESSAGE = 20

/** A line for each failure, those seen last first. */
export function formatFailures(failures: readonly FailureSummary[], { paint, width, now }: View): string[] {
  const columns: Column[] = [
    { head: 'fingerprint', text: ({ fingerprint }) => fingerprint },
    { head: 'side', text: ({ side }) => side },
    { head: 'count', isNumber: true, text: ({ count }) => String(count) },
    { head: 'last seen', text: ({ lastSeen }) => formatAgo(lastSeen, now) },
    { head: 'source', text: ({ source }) => cutStart(source ? placeOf(source) : '–') },
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

function placeOf({ file, line }: SourceFrame): string {
  return line > 0 ? `${file}:${line}` : file
}

// The end of a path tells more than its start.
function cutStart(place: string): string {
  const line = toLine(place)
  return line.length > MAX_SOURCE ? `…${line.slice(1 - MAX_SOURCE)}` : line
}
