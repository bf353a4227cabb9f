// Times of invented requests, for the tests of what operators read.

import {
  addTimes,
  bucketOf,
  type SlowRequest,
  type StepTimes,
  slotOf,
  type TimedKind,
  type TimedStep,
  type Times,
  type TimesLedger,
} from '../../../src/server/ledger/times.ts'

/** Returns the times of one place, whose steps have these durations. */
export function timesOf(
  route: string,
  kind: TimedKind,
  subject: string,
  durations: readonly number[],
  more: Partial<Pick<StepTimes, 'blockedMs' | 'bytes'>> = {},
): StepTimes {
  const all = durations.map((durationMs): StepTimes => {
    const counts = [...Array<number>(bucketOf(durationMs)).fill(0), 1]
    const sums = { count: 1, sumMs: durationMs, maxMs: durationMs, counts }
    return { route, kind, subject, ...sums, blockedMs: 0, bytes: 0, maxBytes: 0 }
  })
  const [sum] = addTimes(all)
  if (!sum) throw new Error('There are no durations.')
  return { ...sum, ...more }
}

export function stepOf(
  kind: TimedKind,
  subject: string,
  startMs: number,
  durationMs: number,
  more: Partial<TimedStep> = {},
): TimedStep {
  return { kind, subject, startMs, durationMs, blockedMs: 0, bytes: 0, inside: null, ...more }
}

export function requestOf(id: string, more: Partial<SlowRequest> = {}): SlowRequest {
  const request = { method: 'GET', path: '/products/7', status: 200, durationMs: 800, bytes: 20_000 }
  return { id, time: Date.now(), route: '/products/[id]', ...request, cache: null, release: 'v42', steps: [], ...more }
}

const spread = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, index) => from + ((to - from) * index) / count)

const PRODUCT = '/products/[id]'
const LOAD = 'pages/products/[id].server.ts:12'
const MB = 1_000_000

/** A shop in which the product pages are slow, because their load calls two services one after the other. */
export function slowShop(now: number): Times {
  return {
    steps: [
      timesOf(PRODUCT, 'request', '', spread(400, 300, 1_300), { bytes: 400 * 90_000 }),
      timesOf(PRODUCT, 'guard', 'pages/layout.server.ts:4', spread(400, 2, 9)),
      timesOf(PRODUCT, 'load', LOAD, spread(400, 270, 1_200), { bytes: 400 * 42_000 }),
      timesOf(PRODUCT, 'load', 'pages/layout.server.ts:11', spread(400, 4, 20), { bytes: 400 * 2_000 }),
      timesOf(PRODUCT, 'perRequest', 'data/stock.ts:8', spread(400, 150, 700)),
      timesOf(PRODUCT, 'perRequest', 'data/reviews.ts:21', spread(400, 110, 480)),
      timesOf(PRODUCT, 'render', '', spread(400, 8, 30)),
      timesOf('/reports', 'request', '', spread(12, 900, 4_000), { bytes: 12 * 2.4 * MB }),
      timesOf('/reports', 'load', 'pages/reports.server.ts:31', spread(12, 500, 2_600), {
        bytes: 12 * 1.2 * MB,
        blockedMs: 12 * 1_400,
      }),
      timesOf('/reports', 'render', '', spread(12, 300, 1_200), { bytes: 12 * 2.4 * MB }),
      timesOf('/', 'request', '', spread(900, 1, 14), { bytes: 900 * 12_000 }),
      timesOf('/', 'cache', '', spread(900, 0.1, 0.4)),
      timesOf('/', 'store', 'get', spread(90, 1, 9)),
      timesOf('', 'loop', '', [60, 80, 420]),
    ],
    requests: [
      requestOf('8MZ2K0QV-3', {
        time: now - 4 * 60_000,
        durationMs: 1_290,
        bytes: 91_000,
        steps: [
          stepOf('guard', 'pages/layout.server.ts:4', 1, 8),
          stepOf('load', LOAD, 10, 1_190, { bytes: 42_000 }),
          stepOf('load', 'pages/layout.server.ts:11', 10, 18, { bytes: 2_000 }),
          stepOf('perRequest', 'data/stock.ts:8', 11, 700),
          stepOf('perRequest', 'data/reviews.ts:21', 712, 480),
          stepOf('render', '', 1_201, 30),
        ],
      }),
      requestOf('8MZ2K0QV-9', {
        time: now - 30 * 60_000,
        route: '/reports',
        path: '/reports',
        durationMs: 3_900,
        bytes: 2.4 * MB,
        cache: 'pass: read',
        steps: [
          stepOf('cache', '', 1, 1),
          stepOf('load', 'pages/reports.server.ts:31', 2, 2_600, { bytes: 1.2 * MB, blockedMs: 1_400 }),
          stepOf('render', '', 2_603, 1_200, { bytes: 2.4 * MB, blockedMs: 1_100 }),
        ],
      }),
    ].sort((a, b) => b.durationMs - a.durationMs),
  }
}

/** Writes these times into a ledger, as a server does. */
export async function keepTimes(ledger: Pick<TimesLedger, 'recordTimes'>, times: Times, now = Date.now()) {
  await ledger.recordTimes({ writer: 'W1', slot: slotOf(now), ...times })
}
