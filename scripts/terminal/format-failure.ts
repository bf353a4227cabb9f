import {
  type CodeLines,
  type KeptError,
  type Occurrence,
  type SourceFrame,
  siteFrameOf,
} from '../../src/server/errors/failure-record.ts'
import type { FailureDetails, FailureSummary } from '../../src/server/ledger/entries.ts'
import { placeNote } from '../../src/server/ledger/failure-json.ts'
import { type DevPlace, formatDevPlace } from '../../src/shared/wire/dev-protocol.ts'
import { cutToWidth, type Paint, padToWidth, toLine, toLines, widthOf } from './text.ts'

export interface OccurrenceSelection {
  /** The digest of the occurrence; null for the last one, when only a fingerprint was given. */
  digest: string | null
}

export function formatFailure(details: FailureDetails, { digest }: OccurrenceSelection, view: View): string[] {
  const { error, occurrences } = details
  const selected = digest === null ? occurrences[0] : occurrences.find((one) => one.digest === digest)
  const others = occurrences.filter((one) => one !== selected)
  const source = siteFrameOf(error)
  const note = placeNote(details)
  return [
    ...formatHead(details, view),
    ...(digest !== null && !selected
      ? [
          '',
          `The occurrence ${digest} is no longer kept, or has never been. What follows is what is known of the failure.`,
        ]
      : []),
    ...(selected ? ['', ...formatOccurrence(selected, digest === null, error, view)] : []),
    '',
    ...(source ? formatSource(source, view) : ['No frame of its stack is in the site.']),
    ...(note === null ? [] : [note]),
    ...formatErrors(error, view.paint),
    ...formatOthers(others, selected !== undefined, view),
  ]
}

function formatHead(details: FailureDetails, { paint, now }: View): string[] {
  const { fingerprint, side, phase, count, firstSeen, lastSeen, firstRelease, lastRelease, solvedAt } = details
  return [
    ...formatTitle(details).map((line) => paint('bold', line)),
    '',
    ...formatFields(paint, [
      ['fingerprint', fingerprint],
      ['side', `${side}, ${phase}`],
      ['seen', count === 1 ? `once, ${formatTimeAgo(lastSeen, now)}` : `${count} times`],
      ['first seen', count === 1 ? '' : formatTimeAgo(firstSeen, now)],
      ['last seen', count === 1 ? '' : formatTimeAgo(lastSeen, now)],
      ['releases', firstRelease === lastRelease ? firstRelease : `${firstRelease} to ${lastRelease}`],
      ['solved', solvedAt === null ? '' : formatTimeAgo(solvedAt, now)],
    ]),
  ]
}

function formatOccurrence(one: Occurrence, isLast: boolean, error: KeptError, { paint, now }: View): string[] {
  const request = [one.method, one.path].filter((part) => part !== null).join(' ')
  const isOtherMessage = one.message !== error.message
  return [
    paint('bold', `${isLast ? 'Last occurrence' : 'This occurrence'}: ${one.digest}`),
    ...formatFields(paint, [
      ['time', formatTimeAgo(one.time, now)],
      ['message', isOtherMessage ? one.message : ''],
      ['route', one.route ?? ''],
      ['request', one.host === null ? request : `${request} on ${one.host}`.trim()],
      ['request id', one.requestId ?? ''],
      ['trace', one.traceId ? `${one.traceId}, span ${one.spanId ?? ''}` : ''],
      ['user agent', one.userAgent ?? ''],
      ['status', one.statusSent === null ? '' : String(one.statusSent)],
      ['recovered', one.isRecovered ? 'the browser showed the page anyway' : ''],
      ['release', one.release],
      ['build', one.build === one.release ? '' : (one.build ?? '')],
      ['server', serverOf(one)],
      ['pending', (one.pending ?? []).join(', ')],
    ]),
  ]
}

/** Formats the process that failed: `web-1, worker 2, process 4711`. */
function serverOf({ replica = '', worker, pid }: Occurrence): string {
  const parts = [replica, worker === undefined ? '' : `worker ${worker}`, pid === undefined ? '' : `process ${pid}`]
  return parts.filter(Boolean).join(', ')
}

/** Formats a place in the source, with the code around it. */
export function formatSource(frame: SourceFrame, { paint, width }: Pick<View, 'paint' | 'width'>): string[] {
  const code = frame.code ? formatCode(frame.code, frame, paint, width) : []
  return [paint('cyan', formatNamedPlace(frame.function, frame)), ...code]
}

function formatErrors(error: KeptError, paint: Paint): string[] {
  return [
    '',
    paint('bold', 'Stack'),
    ...(error.stack.length > 0 ? formatStack(error.stack, '  ', paint) : ['  none']),
    ...formatInner(error, {
      name: (text) => paint('bold', text),
      stack: (frames, indent) => formatStack(frames, indent, paint),
    }),
  ]
}

/** Formats a stack. The reason why frames have no source follows once: it is often the same for all of them. */
function formatStack(stack: readonly SourceFrame[], indent: string, paint: Paint): string[] {
  const unmapped = stack.flatMap(({ unmapped }) => unmapped ?? [])
  const notes = [...new Set(unmapped)].map((note) => {
    const count = unmapped.filter((one) => one === note).length
    return paint(
      'dim',
      `${indent}${count === 1 ? '1 frame is' : `${count} frames are`} not in the source: ${toLine(note)}`,
    )
  })
  return [...stack.map((frame) => formatFrame(frame, indent, paint)), ...notes]
}

function formatFrame(frame: SourceFrame, indent: string, paint: Paint): string {
  const text = `${indent}at ${formatNamedPlace(frame.function, frame)}`
  return frame.isSite ? text : paint('dim', text)
}

function formatOthers(others: readonly Occurrence[], hasSelected: boolean, { paint, now }: View): string[] {
  if (others.length === 0) return []
  const rows = others.map(({ digest, time, statusSent, method, path, host }) => [
    digest,
    formatTimeAgo(time, now),
    statusSent === null ? '–' : String(statusSent),
    toLine([method, path].filter((part) => part !== null).join(' ') || '–'),
    toLine(host ?? ''),
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  return [
    '',
    paint('bold', hasSelected ? 'Other occurrences' : 'Occurrences'),
    ...rows.map((row) => `  ${row.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join('  ')}`.trimEnd()),
  ]
}

function formatFields(paint: Paint, fields: readonly (readonly [string, string])[]): string[] {
  const present = fields.filter(([, value]) => value !== '')
  const width = Math.max(...present.map(([name]) => name.length))
  return present.map(([name, value]) => `  ${paint('dim', name.padEnd(width))}  ${toLine(value)}`)
}

interface InnerFormat {
  /** Formats the name of an error: `Caused by:`. */
  name(text: string): string
  stack(frames: readonly SourceFrame[], indent: string): string[]
}

/** Formats the causes of an error and the errors of an AggregateError, with theirs. An empty line is before each. */
export function formatInner({ cause, errors = [] }: KeptError, format: InnerFormat, indent = ''): string[] {
  const named: [string, KeptError][] = [
    ...(cause ? [['Caused by', cause] satisfies [string, KeptError]] : []),
    ...errors.map((one, index): [string, KeptError] => [`Error ${index + 1} of ${errors.length}`, one]),
  ]
  return named.flatMap(([name, error]) => {
    const [first = '', ...rest] = formatTitle(error)
    return [
      '',
      `${indent}${format.name(`${name}:`)} ${first}`,
      ...rest.map((line) => indent + line),
      ...format.stack(error.stack, `${indent}  `),
      // A cause keeps the indent of its error; the causes of one of several errors are indented.
      ...formatInner(error, format, name === 'Caused by' ? indent : `${indent}  `),
    ]
  })
}

function formatTitle({ type, message }: { type: string; message: string }): string[] {
  const [first = '', ...rest] = toLines(`${type}: ${message}`)
  // Indented, so that no line of a message can look like a line of the report.
  return [first, ...rest.map((line) => `  ${line}`)]
}

/** Formats a function with its place: `load (pages/index.server.ts:3:9)`. Either of them may be unknown. */
export function formatNamedPlace(name: string, place: DevPlace | null): string {
  if (!place) return toLine(name)
  const location = formatDevPlace(place)
  return toLine(name ? `${name} (${location})` : location)
}

/** Formats lines of the source with their numbers. Marks the line of `position` and puts a caret below its column. */
export function formatCode(
  { firstLine, lines }: CodeLines,
  position: { line: number; column: number },
  paint: Paint,
  width: number,
): string[] {
  const digits = String(firstLine + lines.length - 1).length
  const room = Math.max(20, width - digits - 6)
  return lines.flatMap((text, index) => {
    const number = firstLine + index
    const margin = String(number).padStart(digits)
    const shown = cutToWidth(toLine(text).trimEnd(), room)
    if (number !== position.line)
      return [shown === '' ? paint('dim', `    ${margin} |`) : paint('dim', `    ${margin} | `) + shown]
    const marked = `${paint('red', '  > ')}${paint('bold', margin)} ${paint('dim', '|')} ${paint('bold', shown)}`
    const before = widthOf(toLine(text.slice(0, Math.max(0, position.column - 1))))
    // The column may be in the part of the line that was cut off.
    if (position.column < 1 || before >= room) return [marked]
    return [marked, `${paint('dim', `    ${' '.repeat(digits)} | `)}${' '.repeat(before)}${paint('red', '^')}`]
  })
}

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

function formatTimeAgo(time: number, now: number): string {
  return `${formatTime(time)} (${formatAgo(time, now)})`
}
