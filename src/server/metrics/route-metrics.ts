import type { Side } from '../../shared/wire/public-error.ts'
import type { Phase } from '../errors/failure-record.ts'
import type { CacheResult, RefusalReason } from './cache-counts.ts'
import { addHistograms, createHistogram, type Histogram, type HistogramCounts } from './histogram.ts'

/** The counts of one route. Plain data, for messages between processes. */
export interface RouteCounts {
  /** A page's route (`/products/[id]`), the pattern of a route of `server.ts`, or `*` for all other requests. */
  route: string
  requests: { method: string; status: number; count: number }[]
  /** A histogram for each first digit of the status. */
  durations: { statusClass: number; histogram: HistogramCounts }[]
  failures: { side: Side; phase: Phase; count: number }[]
  timeouts: { phase: Phase; count: number }[]
  guards: HistogramCounts | null
  loads: HistogramCounts | null
  actions: HistogramCounts | null
  aborted: number
  /** Responses of a page with the export `cache`. */
  cached: { result: CacheResult; count: number }[]
  /** Responses of such a page that were not stored. */
  refused: { reason: RefusalReason; count: number }[]
}

/** Counts what happens on one route. */
export interface RouteMetrics {
  responseSent(method: string, status: number, durationMs: number): void
  requestAborted(): void
  guardsEnded(durationMs: number): void
  loadsEnded(durationMs: number): void
  actionEnded(durationMs: number): void
  countFailure(side: Side, phase: Phase): void
  deadlinePassed(phase: Phase): void
  cacheResponded(result: CacheResult): void
  cacheRefused(reason: RefusalReason): void
  read(): RouteCounts
}

const CLASS = 100

export function createRouteMetrics(route: string): RouteMetrics {
  const counters = createCounters()
  const { requests, failures, timeouts, cached, refused } = counters
  /** The index is the first digit of the status. */
  const durations: (Histogram | undefined)[] = []
  let guards: Histogram | null = null
  let loads: Histogram | null = null
  let actions: Histogram | null = null
  let aborted = 0

  function durationOf(status: number): Histogram {
    const statusClass = Math.floor(status / CLASS)
    const histogram = durations[statusClass] ?? createHistogram()
    durations[statusClass] = histogram
    return histogram
  }

  return {
    responseSent(method, status, durationMs) {
      countPair(requests, method, status)
      durationOf(status).observe(durationMs)
    },
    requestAborted: () => void aborted++,
    guardsEnded(durationMs) {
      guards ??= createHistogram()
      guards.observe(durationMs)
    },
    loadsEnded(durationMs) {
      loads ??= createHistogram()
      loads.observe(durationMs)
    },
    actionEnded(durationMs) {
      actions ??= createHistogram()
      actions.observe(durationMs)
    },
    countFailure: (side, phase) => countPair(failures, side, phase),
    deadlinePassed: (phase) => countOne(timeouts, phase),
    cacheResponded: (result) => countOne(cached, result),
    cacheRefused: (reason) => countOne(refused, reason),
    read: () => ({
      route,
      ...readCounters(counters),
      durations: durations.flatMap((histogram, statusClass) =>
        histogram ? [{ statusClass, histogram: histogram.read() }] : [],
      ),
      guards: guards?.read() ?? null,
      loads: loads?.read() ?? null,
      actions: actions?.read() ?? null,
      aborted,
    }),
  }
}

/** Adds up the counts that several processes have of one route. */
export function addRouteCounts(route: string, all: readonly RouteCounts[]): RouteCounts {
  const counters = createCounters()
  const { requests, failures, timeouts, cached, refused } = counters
  const durations = new Map<number, HistogramCounts[]>()
  for (const counts of all) {
    for (const { method, status, count } of counts.requests) countPair(requests, method, status, count)
    for (const { side, phase, count } of counts.failures) countPair(failures, side, phase, count)
    for (const { phase, count } of counts.timeouts) countOne(timeouts, phase, count)
    for (const { result, count } of counts.cached) countOne(cached, result, count)
    for (const { reason, count } of counts.refused) countOne(refused, reason, count)
    for (const { statusClass, histogram } of counts.durations)
      durations.set(statusClass, [...(durations.get(statusClass) ?? []), histogram])
  }
  return {
    route,
    ...readCounters(counters),
    durations: [...durations].map(([statusClass, histograms]) => ({
      statusClass,
      histogram: addHistograms(histograms),
    })),
    guards: addPresent(all.map(({ guards }) => guards)),
    loads: addPresent(all.map(({ loads }) => loads)),
    actions: addPresent(all.map(({ actions }) => actions)),
    aborted: all.reduce((sum, { aborted }) => sum + aborted, 0),
  }
}

// perf: labels are created when the metrics are read, 0.04 µs instead of 1.1 µs with prom-client for a request,
// commit 8d8d4fde
function createCounters() {
  return {
    requests: new Map<string, Map<number, number>>(),
    failures: new Map<Side, Map<Phase, number>>(),
    timeouts: new Map<Phase, number>(),
    cached: new Map<CacheResult, number>(),
    refused: new Map<RefusalReason, number>(),
  }
}

function readCounters({ requests, failures, timeouts, cached, refused }: ReturnType<typeof createCounters>) {
  return {
    requests: listPairs(requests, (method, status, count) => ({ method, status, count })),
    failures: listPairs(failures, (side, phase, count) => ({ side, phase, count })),
    timeouts: [...timeouts].map(([phase, count]) => ({ phase, count })),
    cached: [...cached].map(([result, count]) => ({ result, count })),
    refused: [...refused].map(([reason, count]) => ({ reason, count })),
  }
}

function addPresent(all: readonly (HistogramCounts | null)[]): HistogramCounts | null {
  const present = all.filter((counts) => counts !== null)
  return present.length === 0 ? null : addHistograms(present)
}

function countOne<Key>(counts: Map<Key, number>, key: Key, more = 1) {
  counts.set(key, (counts.get(key) ?? 0) + more)
}

function countPair<A, B>(counts: Map<A, Map<B, number>>, first: A, second: B, more = 1) {
  const inner = counts.get(first) ?? new Map<B, number>()
  if (inner.size === 0) counts.set(first, inner)
  inner.set(second, (inner.get(second) ?? 0) + more)
}

function listPairs<A, B, T>(counts: Map<A, Map<B, number>>, make: (first: A, second: B, count: number) => T): T[] {
  return [...counts].flatMap(([first, inner]) => [...inner].map(([second, count]) => make(first, second, count)))
}
