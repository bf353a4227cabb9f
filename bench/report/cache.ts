import {
  type CacheFigures,
  type CacheRun,
  ENCODINGS,
  type EncodingName,
  RESPONSES,
  type ResponseName,
} from '../cache/measure.ts'
import { median, spread } from '../statistics.ts'
import { NONE, show, table } from './table.ts'

const NAMES: Readonly<Record<ResponseName, string>> = {
  stored: 'stored page',
  stale: 'stale page, while it is rendered',
  missed: 'page that is rendered and stored',
  uncached: 'page without `cache`',
  route: 'route of the site, with the same text and headers',
  'short route': 'route of the site, with the same text and its type',
  bare: 'bare Fastify, with the same text and headers',
}

const ENCODING_NAMES: Readonly<Record<EncodingName, string>> = { none: 'not compressed', br: 'Brotli', gzip: 'gzip' }

/** Returns one table for each number of processes. Each cell has the rate and its share of the rate of the route. */
export function toCacheTables({ runs, firstBytes = {} }: CacheFigures): string {
  const processes = [...new Set(runs.map(({ workers }) => workers))]
  const tables = processes.map((workers) => {
    const own = runs.filter((run) => run.workers === workers)
    const rows = RESPONSES.filter((name) => own.some(({ rates }) => rates[name] !== undefined)).map((name) => [
      NAMES[name],
      ...own.map((run) => showRate(run, name)),
    ])
    return table([`${labelOf(workers)}, requests/CPU s`, ...own.map(({ encoding }) => ENCODING_NAMES[encoding])], rows)
  })
  const note = 'In parentheses: the share of the rate of the route with the same text and headers.'
  return [...tables, note, ...toFirstBytes(firstBytes)].join('\n\n')
}

function toFirstBytes(firstBytes: NonNullable<CacheFigures['firstBytes']>): string[] {
  const rows = ENCODINGS.flatMap((encoding) => {
    const own = firstBytes[encoding]
    if (!own) return []
    return [
      [
        ENCODING_NAMES[encoding],
        spread(own.ms, (ms) => ms.toFixed(2)),
        spread(own.ratios, (ratio) => ratio.toFixed(2)),
      ],
    ]
  })
  return rows.length === 0 ? [] : [table(['first byte', 'stored page, ms', 'stored shell, as a multiple'], rows)]
}

const labelOf = (workers: number) => (workers === 1 ? 'one process' : `${workers} workers on one core`)

function showRate(run: CacheRun, name: ResponseName): string {
  const rates = run.rates[name]
  return rates === undefined ? NONE : `${show(median(rates))} (${ratioOf(run, name)})`
}

/** Returns the median of the ratios within a turn. */
function ratioOf({ rates }: CacheRun, name: ResponseName): string {
  const { route = [], [name]: own = [] } = rates
  return median(own.map((rate, turn) => rate / (route[turn] ?? Number.NaN))).toFixed(2)
}
