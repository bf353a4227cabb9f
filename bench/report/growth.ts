import type { GrowthFigures } from '../growth/measure.ts'
import type { ServedFigures, SizeFigures } from '../growth/measure-size.ts'
import { median } from '../statistics.ts'
import { show, table } from './table.ts'

/** A figure of the growing sites. */
interface Metric {
  title: string
  unit: string
  /** Whether the figure may grow with the number of pages. */
  mayGrow: boolean
  read: (size: SizeFigures, workers: number) => number | undefined
}

/** A figure that stays below this factor is flat. Times vary more than sizes. */
const [FLAT_TIME, FLAT_BYTES] = [1.3, 1.1]
/** The cost of one more page may grow by this factor. */
const LINEAR = 1.3

const METRICS: readonly Metric[] = [
  { title: 'build', unit: 's', mayGrow: true, read: ({ buildMs }) => buildMs / 1_000 },
  { title: 'memory of the build', unit: 'MB', mayGrow: true, read: ({ buildMb }) => buildMb },
  served('start', 'ms', ({ startMs }) => startMs),
  served('idle memory', 'MB', ({ idleMb }) => idleMb),
  served('first byte', 'ms', ({ firstByteMs }) => firstByteMs),
  served('first byte of the first visit', 'ms', ({ firstVisitMs }) => firstVisitMs),
  served('document', 'bytes', ({ documentBytes }) => documentBytes),
  served('scripts', 'bytes gzip', ({ clientBytes }) => clientBytes),
  served('memory per request', 'kB', ({ requestBytes }) => requestBytes / 1_000),
  served('memory per open stream', 'kB', ({ streamBytes }) => streamBytes / 1_000),
]

/** Returns a table for each number of processes. */
export function toGrowthTables({ sizes, next }: GrowthFigures): string {
  const tables = workersOf(sizes).map((workers) => {
    const rows = METRICS.filter(({ mayGrow }) => !mayGrow || workers === 1).map((metric) => [
      `${metric.title}, ${metric.unit}`,
      ...sizes.map((size) => show(metric.read(size, workers))),
      `× ${show(growthOf(metric, sizes, workers))}`,
      judge(metric, sizes, workers),
    ])
    const head = [labelOf(workers), ...sizes.map(({ pages }) => `${show(pages)} pages`), 'growth', '']
    return table(head, rows)
  })
  return [...tables, ...(next ? [sayNext(next)] : [])].join('\n\n')
}

function workersOf(sizes: readonly SizeFigures[]): number[] {
  return [...new Set(sizes.flatMap(({ served }) => served.map(({ workers }) => workers)))]
}

function labelOf(workers: number): string {
  return workers === 1 ? 'one process' : `${workers} workers`
}

function served(title: string, unit: string, read: (served: ServedFigures) => number): Metric {
  return {
    ...{ title, unit, mayGrow: false },
    read(size, workers) {
      const found = size.served.find((served) => served.workers === workers)
      return found && read(found)
    },
  }
}

function growthOf({ read }: Metric, sizes: readonly SizeFigures[], workers: number): number {
  const [first, last] = [sizes[0], sizes.at(-1)].map((size) => (size ? read(size, workers) : undefined))
  return (last ?? Number.NaN) / (first ?? Number.NaN)
}

/** Says whether a figure grows as it may. A figure that does not is bold. */
function judge(metric: Metric, sizes: readonly SizeFigures[], workers: number): string {
  const growth = growthOf(metric, sizes, workers)
  const flat = metric.unit.startsWith('bytes') ? FLAT_BYTES : FLAT_TIME
  if (growth <= flat) return 'flat'
  if (!metric.mayGrow) return '**grows**'
  return isLinear(metric, sizes, workers) ? 'at most linear' : '**more than linear**'
}

/** Compares the cost of one more page in the last two steps. */
function isLinear({ read }: Metric, sizes: readonly SizeFigures[], workers: number): boolean {
  const costs = sizes.slice(1).map((size, index) => {
    const before = sizes[index]
    const [more, less] = [size, before].map((at) => (at ? (read(at, workers) ?? Number.NaN) : Number.NaN))
    return ((more ?? Number.NaN) - (less ?? Number.NaN)) / (size.pages - (before?.pages ?? 0))
  })
  const [earlier, later] = costs.slice(-2)
  return later === undefined || earlier === undefined || later <= Math.max(earlier, 0) * LINEAR
}

function sayNext({ pages, version, hydrantMs, nextMs, hydrantMb, nextMb }: NonNullable<GrowthFigures['next']>) {
  const [time, memory] = [nextMs / median(hydrantMs), nextMb / hydrantMb]
  return `Hydrant builds ${show(pages)} pages ${show(time)} times as fast as Next ${version}, with ${show(1 / memory)} of its memory.`
}
