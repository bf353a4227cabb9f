import type { Side } from '../../shared/page-types.ts'
import type { Phase } from '../errors/failure-record.ts'
import { addHistograms, createHistogram, type Histogram, type HistogramCounts } from './histogram.ts'

/** What has been counted of one route: plain data, which can be sent and added up. */
export interface RouteCounts {
  /** As the site writes it: `/products/[id]`; the pattern of a route of `server.ts`; `*` for everything else. */
  route: string
  requests: { method: string; status: number; count: number }[]
  /** By the first digit of the status. */
  durations: { statusClass: number; histogram: HistogramCounts }[]
  failures: { side: Side; phase: Phase; count: number }[]
  timeouts: { phase: Phase; count: number }[]
  loads: HistogramCounts | null
  actions: HistogramCounts | null
  aborted: number
}

/** Counts what happens on one route. */
export interface RouteMetrics {
  answered(method: string, status: number, durationMs: number): void
  aborted(): void
  loaded(durationMs: number): void
  acted(durationMs: number): void
  failed(side: Side, phase: Phase): void
  timedOut(phase: Phase): void
  read(): RouteCounts
}

const CLASS = 100

export function createRouteMetrics(route: string): RouteMetrics {
  // Labels are made when somebody reads them: for each request they would cost more than counting it.
  const requests = new Map<string, Map<number, number>>()
  const failures = new Map<Side, Map<Phase, number>>()
  const timeouts = new Map<Phase, number>()
  /** The index is the first digit of the status. */
  const durations: (Histogram | undefined)[] = []
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
    answered(method, status, durationMs) {
      countPair(requests, method, status)
      durationOf(status).observe(durationMs)
    },
    aborted: () => void aborted++,
    loaded(durationMs) {
      loads ??= createHistogram()
      loads.observe(durationMs)
    },
    acted(durationMs) {
      actions ??= createHistogram()
      actions.observe(durationMs)
    },
    failed: (side, phase) => countPair(failures, side, phase),
    timedOut: (phase) => void timeouts.set(phase, (timeouts.get(phase) ?? 0) + 1),
    read: () => ({
      route,
      requests: listPairs(requests, (method, status, count) => ({ method, status, count })),
      durations: durations.flatMap((histogram, statusClass) =>
        histogram ? [{ statusClass, histogram: histogram.read() }] : [],
      ),
      failures: listPairs(failures, (side, phase, count) => ({ side, phase, count })),
      timeouts: [...timeouts].map(([phase, count]) => ({ phase, count })),
      loads: loads?.read() ?? null,
      actions: actions?.read() ?? null,
      aborted,
    }),
  }
}

/** Adds up what several processes have counted of the same route. */
export function addRouteCounts(route: string, all: readonly RouteCounts[]): RouteCounts {
  const requests = new Map<string, Map<number, number>>()
  const failures = new Map<Side, Map<Phase, number>>()
  const timeouts = new Map<Phase, number>()
  const durations = new Map<number, HistogramCounts[]>()
  for (const counts of all) {
    for (const { method, status, count } of counts.requests) countPair(requests, method, status, count)
    for (const { side, phase, count } of counts.failures) countPair(failures, side, phase, count)
    for (const { phase, count } of counts.timeouts) timeouts.set(phase, (timeouts.get(phase) ?? 0) + count)
    for (const { statusClass, histogram } of counts.durations)
      durations.set(statusClass, [...(durations.get(statusClass) ?? []), histogram])
  }
  return {
    route,
    requests: listPairs(requests, (method, status, count) => ({ method, status, count })),
    durations: [...durations].map(([statusClass, histograms]) => ({
      statusClass,
      histogram: addHistograms(histograms),
    })),
    failures: listPairs(failures, (side, phase, count) => ({ side, phase, count })),
    timeouts: [...timeouts].map(([phase, count]) => ({ phase, count })),
    loads: addPresent(all.map(({ loads }) => loads)),
    actions: addPresent(all.map(({ actions }) => actions)),
    aborted: all.reduce((sum, { aborted }) => sum + aborted, 0),
  }
}

function addPresent(all: readonly (HistogramCounts | null)[]): HistogramCounts | null {
  const present = all.filter((counts) => counts !== null)
  return present.length === 0 ? null : addHistograms(present)
}

function countPair<A, B>(counts: Map<A, Map<B, number>>, first: A, second: B, more = 1) {
  const inner = counts.get(first) ?? new Map<B, number>()
  if (inner.size === 0) counts.set(first, inner)
  inner.set(second, (inner.get(second) ?? 0) + more)
}

function listPairs<A, B, T>(counts: Map<A, Map<B, number>>, make: (first: A, second: B, count: number) => T): T[] {
  return [...counts].flatMap(([first, inner]) => [...inner].map(([second, count]) => make(first, second, count)))
}
