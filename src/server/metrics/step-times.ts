import type { FastifyReply, FastifyRequest } from 'fastify'
import { watchCalls } from '../http/calls.ts'
import { loop } from '../http/event-loop.ts'
import { bodyBytesOf } from '../http/node-response.ts'
import { findTimes, placeOf, type RequestTimes, type TimedKind, type TimedStep } from '../http/request-times.ts'
import { pathOf } from '../http/request-url.ts'
import { forgetSteps } from '../http/timed-steps.ts'
import {
  addTimes,
  BOUNDS_MS,
  bucketOf,
  placeKey,
  type SlowRequest,
  type StepTimes,
  type TimedPlace,
} from '../ledger/times.ts'
import { createRedactor } from '../redaction/redact.ts'

/** The times of all steps of one process since its start, and its slowest requests lately. Plain data, for messages. */
export interface TimesCounts {
  steps: StepTimes[]
  slowest: SlowRequest[]
}

/** The times of one place of a route, by the step as it is: its file is looked up once. */
interface Row {
  kind: TimedKind
  subject: string
  place: TimedPlace
  sums: Float64Array
}

// perf: the numbers of a place are one block of memory, 0.4 % less time for a small page, decision 058
const [SUM_MS, MAX_MS, BLOCKED_MS, BYTES, MAX_BYTES, COUNTS] = [0, 1, 2, 3, 4, 5]

/** Steps of places beyond it are counted at the place of `othersOf`. */
const MAX_PLACES = 2_000
/** A request is kept for one to two of these spans. */
const SPAN_MS = 60_000
const MAX_OF_ROUTE = 3
const MAX_KEPT = 20
const MAX_STEPS = 100
const MAX_PATH = 500
const MAX_ID = 100

/** Adds up the times of the steps of a process, which serves the release, and keeps its slowest requests. */
export function createStepTimes(release: string, now = Date.now) {
  const routes = new Map<string, Row[]>()
  let places = 0
  const slow = createSlowest(now)

  /** @param likely The index of the row, if the steps of the route's requests are always the same. */
  function timesAt(
    route: string,
    { kind, subject }: Pick<TimedStep, 'kind' | 'subject'>,
    known: RequestTimes['places'],
    likely = 0,
  ): Float64Array {
    const rows = routes.get(route) ?? []
    for (let index = 0; index < rows.length; index++) {
      const row = rows[(likely + index) % rows.length]
      if (row?.kind === kind && row.subject === subject) return row.sums
    }
    const others = othersOf({ route, kind, subject })
    if (places >= MAX_PLACES && (others.route !== route || others.subject !== subject))
      return timesAt(others.route, others, null)
    places++
    const place = { route, kind, subject: placeOf({ kind, subject }, known) }
    const sums = new Float64Array(COUNTS + BOUNDS_MS.length + 1)
    rows.push({ kind, subject, place, sums })
    routes.set(route, rows)
    return sums
  }

  /** Adds the steps, those that have not ended when they end. Returns how long they have blocked the event loop. */
  function addSteps(route: string, times: RequestTimes): number {
    let blockedMs = 0
    let areDone = true
    let index = 0
    for (const step of times.steps) {
      blockedMs += step.blockedMs
      if (Number.isNaN(step.durationMs)) areDone = false
      else observe(timesAt(route, step, times.places, index), step.durationMs, step.blockedMs, step.bytes)
      index++
    }
    if (areDone) return blockedMs
    // perf: not for each request: an open connection keeps the function, and what it refers to, for some time
    forgetSteps(times)
    addLater(route, times)
    return blockedMs
  }

  function addLater(route: string, times: RequestTimes) {
    times.onLate = (step) => observe(timesAt(route, step, times.places), step.durationMs, step.blockedMs, step.bytes)
  }

  return {
    /** Begins to measure what blocks the event loop of the process, and the calls of steps. Returns a function that ends it. */
    watchSteps() {
      const stops = [
        loop.watch((durationMs) => observe(timesAt('', LOOP, null), durationMs, durationMs, 0)),
        watchCalls(),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
    requestTimed(
      route: string,
      status: number,
      durationMs: number,
      request: FastifyRequest,
      reply: Pick<FastifyReply, 'raw' | 'getHeader'>,
    ) {
      const length = bodyBytesOf(reply.raw, request.method) ?? Number(reply.getHeader('content-length') ?? 0)
      // The header may be anything that the site has set.
      const bytes = Number.isFinite(length) ? length : 0
      const times = findTimes(request)
      const blockedMs = times ? addSteps(route, times) : 0
      observe(timesAt(route, REQUEST, null, times?.steps.length), durationMs, blockedMs, bytes)
      if (slow.isSlow(route, durationMs)) slow.keep(describe(route, status, durationMs, bytes, request, times))
    },
    read: (): TimesCounts => ({
      steps: [...routes.values()].flatMap((rows) => rows.map(readRow)),
      slowest: slow.read(),
    }),
  }

  function describe(
    route: string,
    status: number,
    durationMs: number,
    bytes: number,
    request: FastifyRequest,
    times: RequestTimes | undefined,
  ): SlowRequest {
    const redact = createRedactor(request.headers)
    const arrivedAt = performance.now() - durationMs
    return {
      id: redact(String(request.id)).slice(0, MAX_ID),
      time: Math.round(now() - durationMs),
      route,
      method: request.method,
      path: pathOf(redact(request.originalUrl)).slice(0, MAX_PATH),
      status,
      durationMs,
      bytes,
      cache: times?.cache ?? null,
      release,
      steps: (times?.steps ?? []).slice(0, MAX_STEPS).map((step) => ({
        ...step,
        subject: placeOf(step, times?.places ?? null),
        startMs: step.startMs - arrivedAt,
        // It was still running when the response was complete.
        durationMs: Number.isNaN(step.durationMs) ? durationMs - (step.startMs - arrivedAt) : step.durationMs,
      })),
    }
  }
}

/** Adds up the times of several processes. */
export function addTimesCounts(all: readonly TimesCounts[]): TimesCounts {
  return { steps: addTimes(all.flatMap(({ steps }) => steps)), slowest: all.flatMap(({ slowest }) => slowest) }
}

/** Returns what is kept of processes that have ended: the requests of two minutes, and the places that come first. */
export function endTimesCounts({ steps, slowest }: TimesCounts, now: number): TimesCounts {
  return {
    steps: addTimes(steps.map((times, index) => (index < MAX_PLACES ? times : { ...times, ...othersOf(times) }))),
    slowest: slowest.filter(({ time, durationMs }) => time + durationMs > now - 2 * SPAN_MS),
  }
}

/** Returns what `later` has more than `earlier`, which is of the same processes. The longest times are those of `later`. */
export function timesSince(earlier: readonly StepTimes[], later: readonly StepTimes[]): StepTimes[] {
  const known = new Set(later.map(placeKey))
  // `endTimesCounts` has added those that are gone to others.
  const kept = earlier.map((times) => (known.has(placeKey(times)) ? times : { ...times, ...othersOf(times) }))
  const before = new Map(addTimes(kept).map((times) => [placeKey(times), times]))
  return later.flatMap((times) => {
    const old = before.get(placeKey(times))
    if (!old) return [times]
    if (times.count <= old.count) return []
    const counts = times.counts.map((count, index) => count - (old.counts[index] ?? 0))
    const longest = BOUNDS_MS[counts.findLastIndex((count) => count > 0)] ?? times.maxMs
    return [
      {
        ...times,
        count: times.count - old.count,
        sumMs: times.sumMs - old.sumMs,
        maxMs: Math.min(times.maxMs, longest),
        counts,
        blockedMs: times.blockedMs - old.blockedMs,
        bytes: times.bytes - old.bytes,
      },
    ]
  })
}

/** Returns the place of steps that have none of their own. Kinds that a request has once have no subject there either. */
function othersOf({ route, kind, subject }: TimedPlace): TimedPlace {
  return { route: kind === 'loop' ? route : '*', kind, subject: subject === '' ? '' : '*' }
}

function readRow({ place, sums }: Row): StepTimes {
  const [sumMs = 0, maxMs = 0, blockedMs = 0, bytes = 0, maxBytes = 0, ...counts] = sums
  const count = counts.reduce((sum, inBucket) => sum + inBucket, 0)
  return { ...place, count, sumMs, maxMs, counts, blockedMs, bytes, maxBytes }
}

const REQUEST = { kind: 'request', subject: '' } as const
const LOOP = { kind: 'loop', subject: '' } as const

function observe(sums: Float64Array, durationMs: number, blockedMs: number, bytes: number) {
  add(sums, SUM_MS, durationMs)
  raise(sums, MAX_MS, durationMs)
  add(sums, BLOCKED_MS, blockedMs)
  add(sums, BYTES, bytes)
  raise(sums, MAX_BYTES, bytes)
  add(sums, COUNTS + bucketOf(durationMs), 1)
}

function add(sums: Float64Array, index: number, more: number) {
  sums[index] = (sums[index] ?? 0) + more
}

function raise(sums: Float64Array, index: number, value: number) {
  if (value > (sums[index] ?? 0)) sums[index] = value
}

/** Keeps the slowest requests of each route, and of all routes, for a while. */
function createSlowest(now: () => number) {
  let span = 0
  let current: SlowRequest[] = []
  let previous: SlowRequest[] = []
  /** The shortest durations of the routes that have all of their places. */
  const leastOf = new Map<string, number>()
  /** The shortest duration of all; -1 if there is a place. */
  let least = -1

  function turn() {
    const next = Math.floor(now() / SPAN_MS)
    if (next === span) return
    previous = next === span + 1 ? current : []
    current = []
    least = -1
    leastOf.clear()
    span = next
  }

  return {
    /** Returns whether the request belongs to the slowest ones. */
    isSlow(route: string, durationMs: number): boolean {
      turn()
      return durationMs > (leastOf.get(route) ?? least)
    },
    /** Keeps a request that is slow. */
    keep(request: SlowRequest) {
      const { route } = request
      const bound = leastOf.get(route)
      const rivals = bound === undefined ? current : current.filter((one) => one.route === route)
      const replaced = rivals.find(({ durationMs }) => durationMs === (bound ?? least))
      current = [...current.filter((one) => one !== replaced), request]
      if (replaced) leastOf.delete(replaced.route)
      const ofRoute = current.filter((one) => one.route === route)
      if (ofRoute.length >= MAX_OF_ROUTE) leastOf.set(route, shortestOf(ofRoute))
      if (current.length >= MAX_KEPT) least = shortestOf(current)
    },
    read(): SlowRequest[] {
      turn()
      return [...previous, ...current]
    },
  }
}

function shortestOf(requests: readonly SlowRequest[]): number {
  return Math.min(...requests.map(({ durationMs }) => durationMs))
}
