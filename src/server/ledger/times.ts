// How long the steps of requests take, as plain data: processes count it, the ledger keeps it, the console and
// `hydrant slow` show it.

import type { TimedKind, TimedStep } from '../http/request-times.ts'

export type { TimedKind, TimedStep } from '../http/request-times.ts'

/** What is timed together. */
export interface TimedPlace {
  /** The site's route: `/products/[id]`; `*` for paths without a route; empty for the kind `loop`. */
  route: string
  kind: TimedKind
  /** See `TimedStep`. */
  subject: string
}

/** The durations of all steps of one place. */
export interface StepTimes extends TimedPlace {
  count: number
  sumMs: number
  maxMs: number
  /** How many durations are up to each bound of `BOUNDS_MS` and above the one before; the last number counts longer ones. */
  counts: number[]
  /** The time for which the steps blocked the event loop; only blocks of 50 ms or more are seen. */
  blockedMs: number
  /** The bytes of the responses, the characters of the data that loads returned or of documents; 0 for other kinds. */
  bytes: number
  maxBytes: number
}

/** A request that was among the slowest of its route. */
export interface SlowRequest {
  /** The id of the request, which the log and the header `X-Request-Id` have. */
  id: string
  /** The arrival, in milliseconds since 1970. */
  time: number
  route: string
  method: string
  /** The path without the query, and without secrets. */
  path: string
  status: number
  durationMs: number
  bytes: number
  /** How a page with the export `cache` was made, and why it was not stored (`pass: read`); null for any other. */
  cache: string | null
  release: string
  /** In the order in which they began. `startMs` is since the arrival of the request. */
  steps: TimedStep[]
}

/** What one process, or all workers of one server, have measured in a slot of time. */
export interface TimesBatch {
  /** A random name of the writer, which no other one has. */
  writer: string
  /** The number of the slot since 1970. */
  slot: number
  /** Everything since the slot began, not only what is new: a batch replaces the earlier one of its writer and slot. */
  steps: StepTimes[]
  /** New ones, and possibly some that were written before. Of those with one id, the ledger keeps the latest. */
  requests: SlowRequest[]
}

/** The times since a slot. */
export interface Times {
  steps: StepTimes[]
  /** The slowest first. */
  requests: SlowRequest[]
}

export interface ReadTimes extends Times {
  /** The first slot of which the ledger still has steps; null without any. */
  oldestSlot: number | null
}

/** The part of a ledger that keeps times. */
export interface TimesLedger {
  /** Writes a batch, and removes what is older than a day or beyond the limits. */
  recordTimes(batch: TimesBatch): Promise<void>
  /** Returns the times of all writers from the slot on, those of one place added up, and the `selectRequests`. */
  times(sinceSlot: number): Promise<ReadTimes>
  /** Returns the request with the id, ignoring case; null if the ledger does not have it. */
  slowRequest(id: string): Promise<SlowRequest | null>
}

export const SLOT_MS = 600_000
/** Times are kept for at most a day. */
export const MAX_SLOTS = 144
/**
 * The most places of all slots, and the most requests, that a ledger keeps: the newest slots, and of the oldest one of
 * these what took the longest.
 */
export const MAX_TIMES = 20_000
export const MAX_SLOW_REQUESTS = 2_000
/** The most requests that `times` returns, and how many of these are the slowest of all routes. */
export const MAX_READ_REQUESTS = 200
export const MAX_SLOWEST = 100

export function slotOf(time: number): number {
  return Math.floor(time / SLOT_MS)
}

/** Returns the first slot that is kept with a batch of this slot. */
export function oldestOf(slot: number): number {
  return slot - MAX_SLOTS
}

const FIRST_MS = 0.1
const DECADES = 6
/** The preferred numbers R10 (ISO 3): each is about 1.26 times the one before. */
const R10 = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8]

/** Upper bounds in milliseconds, from 0.1 ms to 100 s. */
export const BOUNDS_MS: readonly number[] = [
  ...Array.from({ length: DECADES }, (_, decade) =>
    R10.map((step) => Number((FIRST_MS * step * 10 ** decade).toPrecision(3))),
  ).flat(),
  FIRST_MS * 10 ** DECADES,
]

/** Returns the index of the first bound that is not below the duration; the number of bounds for a longer one. */
export function bucketOf(durationMs: number): number {
  let low = 0
  let high = BOUNDS_MS.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (durationMs <= (BOUNDS_MS[middle] ?? Infinity)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Returns the duration that the share `portion` of all durations does not exceed, within a quarter; 0 without durations.
 *
 * @param portion From 0 to 1: 0.95 for the 95th percentile.
 */
export function percentile({ counts, count, sumMs, maxMs }: StepTimes, portion: number): number {
  const rank = portion * count
  let before = 0
  for (const [index, inBucket] of counts.entries()) {
    if (inBucket > 0 && before + inBucket >= rank) {
      const upper = Math.min(BOUNDS_MS[index] ?? maxMs, maxMs)
      // If all durations are in this bucket, their mean tells how far they are below the longest.
      const likely = inBucket === count ? 2 * (sumMs / count) - upper : 0
      const lower = Math.min(upper, Math.max(BOUNDS_MS[index - 1] ?? 0, likely))
      return lower + (upper - lower) * ((rank - before) / inBucket)
    }
    before += inBucket
  }
  return maxMs
}

/** Returns the latest request of each id, ignoring case; the first one of those with the same time. */
export function latestById(requests: readonly SlowRequest[]): SlowRequest[] {
  const latest = new Map<string, SlowRequest>()
  for (const request of requests) {
    const id = request.id.toLowerCase()
    if (request.time > (latest.get(id)?.time ?? -Infinity)) latest.set(id, request)
  }
  return [...latest.values()]
}

/** A function for `Array.sort`: the slowest first. */
export function compareRequests(a: SlowRequest, b: SlowRequest): number {
  return b.durationMs - a.durationMs
}

/** Returns what `times` returns of requests: the slowest of all, then the slowest of each route, then the next ones. */
export function selectRequests(requests: readonly SlowRequest[]): SlowRequest[] {
  const inRoutes = new Map<string, number>()
  const ranked = requests.toSorted(compareRequests).map((request, index) => {
    const rank = inRoutes.get(request.route) ?? 1
    inRoutes.set(request.route, rank + 1)
    return { request, turn: index < MAX_SLOWEST ? 0 : rank }
  })
  const selected = ranked.sort((a, b) => a.turn - b.turn).slice(0, MAX_READ_REQUESTS)
  return selected.map(({ request }) => request).sort(compareRequests)
}

/** Adds up the times of each place. */
export function addTimes(all: readonly StepTimes[]): StepTimes[] {
  const sums = new Map<string, StepTimes>()
  for (const times of all) {
    const key = placeKey(times)
    const sum = sums.get(key)
    sums.set(key, sum ? addPair(sum, times) : times)
  }
  return [...sums.values()]
}

/** Returns a key that is equal for equal places. */
export function placeKey({ route, kind, subject }: TimedPlace): string {
  return `${kind}\n${route}\n${subject}`
}

function addPair(a: StepTimes, b: StepTimes): StepTimes {
  const [longer, shorter] = a.counts.length < b.counts.length ? [b.counts, a.counts] : [a.counts, b.counts]
  return {
    ...a,
    count: a.count + b.count,
    sumMs: a.sumMs + b.sumMs,
    maxMs: Math.max(a.maxMs, b.maxMs),
    counts: longer.map((count, index) => count + (shorter[index] ?? 0)),
    blockedMs: a.blockedMs + b.blockedMs,
    bytes: a.bytes + b.bytes,
    maxBytes: Math.max(a.maxBytes, b.maxBytes),
  }
}
