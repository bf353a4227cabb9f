import { bytesText, msText, percentText } from '../../src/server/ledger/slow-hints.ts'
import type {
  ReportedStep,
  SlowFirst,
  SlowReport,
  SlowRequestReport,
  SlowRow,
} from '../../src/server/ledger/slow-report.ts'
import { formatAgo, formatTime, type View } from './format-failure.ts'
import { cutToWidth, padToWidth, toLine, widthOf } from './text.ts'

/** Formats the times of routes and their steps, and the slowest requests. `since` follows the number of requests. */
export function formatSlow({ requests, totalMs, first, routes, slowest }: SlowReport, since: string, view: View) {
  const { paint } = view
  const rows = routes.flatMap(({ route, steps, ...row }) => [
    { row, route: route === '' ? OUTSIDE : route, indent: '' },
    ...steps.map((step) => ({ row: step, route: null, indent: '  '.repeat(step.depth + 1) })),
  ])
  const cells = rows.map(({ row }) => [
    percentText(row.share),
    String(row.count),
    ...[row.p50Ms, row.p95Ms, row.p99Ms].map(msText),
  ])
  const align = alignRight(HEAD, cells)
  const margin = widthOf(align(HEAD)) + 2
  const room = Math.max(LEAST_ROOM, view.width - margin)
  return [
    `${requests === 1 ? '1 request' : `${requests.toLocaleString('en')} requests`} ${since}, ${msText(totalMs)} in all`,
    '',
    ...formatFirst(first, view),
    paint('dim', `${align(HEAD)}  route or step`),
    ...rows.flatMap(({ row, route, indent }, index) => {
      const name = route === null ? cutName(row, room - indent.length) : paint('bold', cutToWidth(toLine(route), room))
      return [
        `${align(cells[index] ?? [])}  ${indent}${name}`,
        ...formatHints(row.hints, `${' '.repeat(margin)}${indent}  `, view),
      ]
    }),
    '',
    ...wrap(NOTE, view.width).map((line) => paint('dim', line)),
    ...(slowest.length > 0 ? ['', paint('bold', 'Slowest requests'), ...formatSlowest(slowest, view)] : []),
  ]
}

const HEAD = ['share', 'count', 'p50', 'p95', 'p99']
const OUTSIDE = '(of no known step)'
const LEAST_ROOM = 30
const NOTE =
  'share: of the time of all requests. Steps that run at the same time, or inside others, add up to more than 100 %. p50 to p99 are exact to a quarter.'

function formatFirst(first: SlowFirst | null, view: View): string[] {
  if (!first) return []
  const [route = '', ...others] = first.routes
  const name = nameOf(first)
  const more = others.length > 0 ? ` and ${others.length} more ${others.length === 1 ? 'route' : 'routes'}` : ''
  const where = route === '' ? '' : ` of ${route}${more}`
  const text = toLine(`Mend first: ${name}${where}, ${percentText(first.share)} of all time`)
  return [view.paint('bold', text), ...formatHints(first.hints, '  ', view), '']
}

function formatHints(hints: readonly string[], indent: string, { paint, width }: View): string[] {
  const room = Math.max(LEAST_ROOM, width - indent.length - 2)
  return hints.flatMap((hint) =>
    wrap(toLine(hint), room).map((line, index) => `${indent}${paint('yellow', `${index === 0 ? '! ' : '  '}${line}`)}`),
  )
}

/** Names a step: `load pages/cart.server.ts:12`. */
function nameOf({ kind, subject }: Pick<SlowRow, 'kind' | 'subject'>): string {
  if (kind === 'request') return 'what is in no step'
  if (kind === 'loop') return 'code of no known step'
  return subject === '' ? kind : `${kind} ${subject}`
}

// The end of a path, with its line, is more useful than its start.
function cutName(step: Pick<SlowRow, 'kind' | 'subject'>, width: number): string {
  const name = toLine(nameOf(step))
  if (widthOf(name) <= width) return name
  return `${step.kind} …${name.slice(step.kind.length + 2 - width)}`
}

function formatSlowest(slowest: SlowReport['slowest'], { now, width }: View): string[] {
  const rows = slowest.map(({ id, durationMs, time, status, method, path, route }) => [
    toLine(id),
    msText(durationMs),
    formatAgo(time, now),
    String(status),
    toLine(`${method} ${path}`),
    path === route ? '' : `of ${toLine(route)}`,
  ])
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 1 ? cell.padStart(widths[column] ?? 0) : padToWidth(cell, widths[column] ?? 0),
    )
    return cutToWidth(`  ${cells.join('  ')}`.trimEnd(), width)
  })
}

/** Formats one request as a timeline: a line with a bar for each step. */
export function formatSlowRequest(request: SlowRequestReport, view: View): string[] {
  const { id, time, route, method, path, status, durationMs, bytes, cache, release, hints, steps } = request
  const { paint, now, width } = view
  const fields = [
    ['route', route],
    ['request id', id],
    ['time', `${formatTime(time)} (${formatAgo(time, now)})`],
    ['status', String(status)],
    ['size', bytes > 0 ? bytesText(bytes) : 'not known'],
    ['page cache', cache ?? ''],
    ['release', release],
  ].filter(([, value]) => value !== '')
  const cells = steps.map((step) => [msText(step.startMs), msText(step.durationMs)])
  const align = alignRight(STEP_HEAD, cells)
  const margin = widthOf(align(STEP_HEAD)) + 2
  const bars = Math.max(LEAST_BAR, Math.min(MOST_BAR, Math.floor((width - margin) / 3)))
  const room = Math.max(LEAST_ROOM, width - margin - bars - 2)
  const indent = ' '.repeat(margin + bars + 4)
  return [
    paint('bold', toLine(`${method} ${path}: ${msText(durationMs)}`)),
    ...formatHints(hints, '  ', view),
    '',
    ...fields.map(([name = '', value = '']) => `  ${paint('dim', name.padEnd(10))}  ${toLine(value)}`),
    '',
    ...(steps.length === 0
      ? ['No step of it was measured: its time is in hooks and routes of server.ts, or in sending the response.']
      : [
          paint('dim', `${align(STEP_HEAD)}  ${padToWidth(`0 to ${msText(durationMs)}`, bars)}  step`),
          ...steps.flatMap((step, index) => {
            const facts = factsOf(step)
            const inner = '  '.repeat(step.depth)
            const margin = indent + inner
            return [
              `${align(cells[index] ?? [])}  ${paint('cyan', barOf(step, durationMs, bars))}  ${inner}${cutName(step, room - inner.length)}`,
              ...(facts === '' ? [] : [margin + paint('dim', facts)]),
              ...formatHints(step.hints, margin, view),
            ]
          }),
        ]),
  ]
}

const STEP_HEAD = ['start', 'took']
const LEAST_BAR = 16
const MOST_BAR = 40

function factsOf({ blockedMs, bytes }: ReportedStep): string {
  const facts = [bytes > 0 ? bytesText(bytes) : '', blockedMs > 0 ? `blocked ${msText(blockedMs)}` : '']
  return facts.filter(Boolean).join(', ')
}

/** Draws when a step ran: `····████····`. A step that began has at least one cell. */
function barOf({ startMs, durationMs }: ReportedStep, wholeMs: number, width: number): string {
  const cellOf = (ms: number) => (wholeMs > 0 ? Math.round((Math.max(0, ms) / wholeMs) * width) : 0)
  const from = Math.min(cellOf(startMs), width - 1)
  const to = Math.max(from + 1, Math.min(cellOf(startMs + durationMs), width))
  return `${'·'.repeat(from)}${'█'.repeat(to - from)}${'·'.repeat(width - to)}`
}

/** Returns a function that joins cells, each as wide as the widest of its column. */
function alignRight(head: readonly string[], rows: readonly (readonly string[])[]) {
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return (cells: readonly string[]) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')
}

/** Splits a text into lines of at most `width` columns, at its spaces. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
