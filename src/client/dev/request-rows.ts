// What the header `Server-Timing` of a response says, as rows for people.

import type { DevPlace } from '../../shared/wire/dev-protocol.ts'
import { NAVIGATION_MARK, type ServerMetric } from '../../shared/wire/navigation-protocol.ts'

/** The key in the browser's storage that says whether pages have the panel: `shown` or `hidden`. */
export const TIMES_KEY = 'hydrant-times'

/** A request for a page. */
export interface RequestRow {
  kind: 'document' | 'navigation' | 'form'
  /** The path and the query of the page. */
  path: string
  /** The site's route: `/products/[id]`. */
  route: string
  /** How long the server took, up to the headers or the end of a stream. */
  totalMs: number
  /** The time from the request to the last byte of the response, in the browser. */
  receivedMs: number
  /** Says whether the response was stored, or would be; null for a page without a cache. */
  cache: string | null
  steps: readonly StepRow[]
}

export interface StepRow {
  /** `load`, `guard`, `render` … */
  kind: string
  /** What is no file: the place of a deferred promise in the data, for example. */
  name: string
  /** Whether it is in the step above. */
  isInner: boolean
  /** The file of the function, which can be opened; null for steps without a file. */
  place: DevPlace | null
  durationMs: number
  /** The characters of the data or the document; 0 for other steps. */
  characters: number
}

/** The part of a `PerformanceResourceTiming` that is needed. */
export interface RequestEntry {
  /** The URL. */
  name: string
  entryType: string
  startTime: number
  responseEnd: number
}

/** Returns the row of a request; null if the metrics are not Hydrant's. */
export function toRow(entry: RequestEntry, metrics: readonly ServerMetric[]): RequestRow | null {
  const total = metrics.find(({ name }) => name === 'total')
  const route = metrics.find(({ name }) => name === 'route')
  if (!total || !route) return null
  // A step can be named `cache` too, and has a duration.
  const isStep = ({ name, duration = 0 }: ServerMetric) =>
    !['total', 'route'].includes(name) && (duration > 0 || name !== 'cache')
  const cache = metrics.find((metric) => metric.name === 'cache' && !isStep(metric))
  const isForm = metrics.some(({ name }) => name === 'action')
  return {
    kind: isForm ? 'form' : entry.entryType === 'navigation' ? 'document' : 'navigation',
    path: pathOf(entry.name),
    route: textOf(route),
    totalMs: total.duration ?? 0,
    receivedMs: entry.responseEnd - entry.startTime,
    cache: cache ? describeCache(textOf(cache)) : null,
    steps: metrics.filter(isStep).map(toStep),
  }
}

/** Returns whether a URL is that of a navigation. */
export function isNavigation(url: string): boolean {
  return new URL(url).search.slice(1).split('&').includes(NAVIGATION_MARK)
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  const query = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && part !== NAVIGATION_MARK)
  return pathname + (query.length > 0 ? `?${query.join('&')}` : '')
}

/** Steps that run inside others. The server writes them after these. */
const INNER_KINDS = ['perRequest', 'call']
const SIZE = / \((\d+) characters\)$/
const FILE = /^(.+\.[cm]?[jt]sx?)(?::(\d+))?$/

function toStep(metric: ServerMetric): StepRow {
  const text = textOf(metric)
  const subject = text.replace(SIZE, '')
  const [, file, line = '0'] = FILE.exec(subject) ?? []
  return {
    kind: metric.name,
    name: file === undefined ? subject : '',
    isInner: INNER_KINDS.includes(metric.name),
    place: file === undefined ? null : { file, line: Number(line), column: 0, export: metric.name },
    durationMs: metric.duration ?? 0,
    characters: Number(SIZE.exec(text)?.[1] ?? 0),
  }
}

/** Returns the description with the characters that the header cannot have. */
function textOf({ description = '' }: ServerMetric): string {
  return description.replace(/(?:%[89A-F][0-9A-F])+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      // The header was cut, or the name has such characters itself.
      return encoded
    }
  })
}

function describeCache(text: string): string {
  const [found, kind, reason] = /^pass(?:: (\w+)(?: \((.+)\))?)?$/.exec(text) ?? []
  if (found === undefined) return text
  if (reason !== undefined) return `not stored, because ${reason}`
  return kind === undefined ? 'not stored' : `not stored (${kind})`
}

/** Returns a time with its unit: `8.5 ms`, `120 ms`, `1.25 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`
  return `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** Returns a size as kilobytes: most characters of a page are one byte. */
export function formatSize(characters: number): string {
  const kilobytes = characters / 1_000
  return `${kilobytes < 9.95 ? kilobytes.toFixed(kilobytes < 0.095 ? 2 : 1) : Math.round(kilobytes)} kB`
}
