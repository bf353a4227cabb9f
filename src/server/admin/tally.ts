import type { Side } from '../../shared/page-types.ts'
import type { Phase } from '../ledger/ledger.ts'
import type { Measures } from '../measures.ts'
import { addCounts, createHistogram, type HistogramCounts } from './histogram.ts'

/** What a process has counted since it started: plain data, which can be sent and added up. */
export interface Tally {
  requests: { method: string; status: number; count: number }[]
  failures: { side: Side; phase: Phase; count: number }[]
  duration: HistogramCounts
  render: HistogramCounts
  firstByte: HistogramCounts
  /** Requests that were refused, as the event loop was too late. */
  shed: number
}

export interface Tallying {
  measures: Measures
  failed(failure: { side: Side; phase: Phase }): void
  read(): Tally
}

export function createTallying(): Tallying {
  const duration = createHistogram()
  const render = createHistogram()
  const firstByte = createHistogram()
  // Labels are made when somebody reads them: for each request they would cost more than counting it.
  const requests = new Map<string, Map<number, number>>()
  const failures = new Map<Side, Map<Phase, number>>()
  let shed = 0
  return {
    measures: {
      answered(method, status, durationMs) {
        count(requests, method, status)
        duration.observe(durationMs)
      },
      rendered: render.observe,
      firstByte: firstByte.observe,
      shed: () => void shed++,
    },
    failed: ({ side, phase }) => count(failures, side, phase),
    read: () => ({
      requests: listPairs(requests, (method, status, count) => ({ method, status, count })),
      failures: listPairs(failures, (side, phase, count) => ({ side, phase, count })),
      duration: duration.read(),
      render: render.read(),
      firstByte: firstByte.read(),
      shed,
    }),
  }
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const requests = new Map<string, Map<number, number>>()
  const failures = new Map<Side, Map<Phase, number>>()
  for (const tally of tallies) {
    for (const { method, status, count: more } of tally.requests) count(requests, method, status, more)
    for (const { side, phase, count: more } of tally.failures) count(failures, side, phase, more)
  }
  return {
    requests: listPairs(requests, (method, status, count) => ({ method, status, count })),
    failures: listPairs(failures, (side, phase, count) => ({ side, phase, count })),
    duration: addCounts(tallies.map(({ duration }) => duration)),
    render: addCounts(tallies.map(({ render }) => render)),
    firstByte: addCounts(tallies.map(({ firstByte }) => firstByte)),
    shed: tallies.reduce((sum, { shed }) => sum + shed, 0),
  }
}

function count<A, B>(counts: Map<A, Map<B, number>>, first: A, second: B, more = 1) {
  const inner = counts.get(first) ?? new Map<B, number>()
  if (inner.size === 0) counts.set(first, inner)
  inner.set(second, (inner.get(second) ?? 0) + more)
}

function listPairs<A, B, T>(counts: Map<A, Map<B, number>>, make: (first: A, second: B, count: number) => T): T[] {
  return [...counts].flatMap(([first, inner]) => [...inner].map(([second, count]) => make(first, second, count)))
}
