// Turns times into what operators read: rows by their share of all time, with the cause in words where the data show
// it. The console, its API and `hydrant slow` use it.

import { nestSteps } from '../http/request-times.ts'
import { type Around, hintsOf, MUCH_OUTSIDE, outerMs, part, perCall, shareOf, sum } from './slow-hints.ts'
import {
  addTimes,
  bucketOf,
  MAX_SLOWEST,
  percentile,
  placeKey,
  SLOT_MS,
  type SlowRequest,
  type StepTimes,
  slotOf,
  type TimedKind,
  type TimedStep,
  type Times,
  type TimesLedger,
} from './times.ts'

export interface SlowRow {
  kind: TimedKind
  /** See `TimedPlace`. */
  subject: string
  count: number
  /** The sum of the durations. */
  totalMs: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  maxMs: number
  /** `totalMs`, divided by that of all requests. */
  share: number
  blockedMs: number
  /** The bytes, or the characters of the data, on average; 0 for other kinds. */
  meanBytes: number
  /** What makes it slow, in words; empty if the data do not show it. */
  hints: string[]
  /** In how many other steps it is known to be, often the one above. */
  depth: number
}

/** The requests of one route, with the steps below it. Code of no known step has the route `''`. */
export interface SlowRoute extends SlowRow {
  route: string
  /** The largest share first; those inside a step follow it. */
  steps: SlowRow[]
}

export interface SlowReport {
  /** When the first slot of the times began that the ledger still has, in milliseconds since 1970. */
  since: number
  /** All requests, and the sum of their durations. */
  requests: number
  totalMs: number
  /** What takes the most time; null without data. */
  first: SlowFirst | null
  /** The largest share first. */
  routes: SlowRoute[]
  /** How many routes the limit leaves out. */
  moreRoutes: number
  /** The slowest requests that are kept, the slowest first; at most 100. */
  slowest: Omit<SlowRequest, 'steps'>[]
}

/** A step of one route or of several, or the requests of a route if most of their time is in no step. */
export interface SlowFirst {
  kind: TimedKind
  subject: string
  /** Its routes, the one with the largest share first. */
  routes: string[]
  share: number
  hints: string[]
}

/** One request, with what makes it and its steps slow. */
export interface SlowRequestReport extends Omit<SlowRequest, 'steps'> {
  hints: string[]
  /** Those inside a step follow it. Otherwise in the order in which they began. */
  steps: ReportedStep[]
}

export interface ReportedStep extends Omit<TimedStep, 'inside'> {
  /** In how many other steps it is known to be. */
  depth: number
  hints: string[]
}

/** What a report is about. */
export interface SlowQuery {
  /** In milliseconds since 1970. */
  since: number
  /** One route (all). */
  route?: string
  /** The most routes, and the most requests (all). */
  limit?: number
}

/** A step inside another one is to be mended first if it takes this part of it. */
const INNER = 0.8

/** Code of no known step that blocks the event loop for this part of the time may be that of steps that seem to wait. */
const LOOP_BLOCKED = 0.05

/** Code of no known step is to be mended first only if it has blocked the event loop for this long in all. */
const MUCH_LOOP_MS = 1_000

/** Steps whose subject names the same code on all routes. */
const SHARED_KINDS: readonly TimedKind[] = ['guard', 'load', 'action', 'perRequest', 'store']

/** Reads and reports the times since the beginning of a slot, or of the first one that the ledger still has. */
export async function readSlow(
  ledger: Pick<TimesLedger, 'times'>,
  { since, ...query }: SlowQuery,
): Promise<SlowReport> {
  const slot = slotOf(since)
  const { oldestSlot, ...times } = await ledger.times(slot)
  return { since: Math.max(slot, oldestSlot ?? slot) * SLOT_MS, ...reportSlow(times, query) }
}

/** Reports times. The shares are always those of the time of all requests. */
export function reportSlow({ steps, requests }: Times, { route, limit = Infinity }: Omit<SlowQuery, 'since'> = {}) {
  const isAsked = (one: { route: string }) => route === undefined || one.route === route
  const ofRequests = steps.filter(({ kind }) => kind === 'request')
  const totalMs = sum(ofRequests.map(({ sumMs }) => sumMs))
  const loopMs = sum(steps.filter(({ kind }) => kind === 'loop').map(({ sumMs }) => sumMs))
  const isLoopBlocked = loopMs > LOOP_BLOCKED * totalMs
  const routes = [...groupBy(steps.filter(isAsked), (step) => step.route)]
    .map(([name, own]) => {
      const kept = requests.filter((request) => request.route === name)
      return reportRoute(name, own, { kept, totalMs, isLoopBlocked })
    })
    .sort(byShare)
  const shown = routes.slice(0, limit)
  const slowest = requests.filter(isAsked).slice(0, Math.min(limit, MAX_SLOWEST))
  return {
    requests: sum(ofRequests.map(({ count }) => count)),
    totalMs: round(totalMs),
    first: findFirst(routes, totalMs),
    routes: shown,
    moreRoutes: routes.length - shown.length,
    slowest: slowest.map(({ steps: _, ...request }) => request),
  }
}

/** Reports one request, with the hints that apply to it alone. */
export function reportSlowRequest(request: SlowRequest): SlowRequestReport {
  const { route: name, durationMs, bytes } = request
  const whole: TimedStep = { kind: 'request', subject: '', startMs: 0, durationMs, blockedMs: 0, bytes, inside: null }
  const timed = [whole, ...request.steps].map((step) => timesOf(step, name))
  const [route] = reportSlow({ steps: addTimes(timed), requests: [request] }).routes
  const hints = new Map(route?.steps.map((row) => [rowKey(row), row.hints]))
  return {
    ...request,
    hints: route?.hints ?? [],
    steps: nestSteps(request.steps).map(({ step: { inside: _, ...step }, depth }) => {
      return { ...step, depth, hints: hints.get(rowKey(step)) ?? [] }
    }),
  }
}

function timesOf({ kind, subject, durationMs, blockedMs, bytes }: TimedStep, route: string): StepTimes {
  const counts = [...Array<number>(bucketOf(durationMs)).fill(0), 1]
  const sums = { count: 1, sumMs: durationMs, maxMs: durationMs, counts, blockedMs, bytes, maxBytes: bytes }
  return { route, kind, subject, ...sums }
}

/** Returns a report as JSON. Times are ISO. */
export function slowReportJson({ since, slowest, ...report }: SlowReport) {
  return { since: isoTime(since), ...report, slowest: slowest.map(withIsoTime) }
}

export function slowRequestJson(report: SlowRequestReport) {
  return withIsoTime(report)
}

function withIsoTime<T extends { time: number }>(request: T) {
  return { ...request, time: isoTime(request.time) }
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}

function reportRoute(
  route: string,
  own: readonly StepTimes[],
  site: Pick<Around, 'kept' | 'totalMs' | 'isLoopBlocked'>,
): SlowRoute {
  const whole = own.find(({ kind }) => kind === 'request') ?? own.find(({ kind }) => kind === 'loop')
  const steps = own.filter((step) => step !== whole)
  const around = { whole: whole ?? NO_TIMES, steps, ...site }
  return {
    route,
    ...reportRow(around.whole, around),
    // Steps that take no time have nothing to say.
    steps: nestRows(
      steps
        .map((step) => reportRow(step, around))
        .filter(({ share, hints }) => share > 0 || hints.length > 0)
        .sort(byShare),
      site.kept,
    ),
  }
}

/** Puts calls and functions of `perRequest` below the step that they are in, in a request that is kept. */
function nestRows(rows: readonly SlowRow[], kept: readonly SlowRequest[]): SlowRow[] {
  const outer = new Map<string, string>()
  for (const { steps } of kept) {
    for (const step of steps) {
      const found = findOuter(step, steps)
      if (found && !outer.has(rowKey(step))) outer.set(rowKey(step), rowKey(found))
    }
  }
  const places = new Map(rows.map((row, index) => [rowKey(row), index]))
  const placed = rows.map((row) => ({ row, inside: places.get(outer.get(rowKey(row)) ?? '') ?? null }))
  return nestSteps(placed).map(({ step: { row }, depth }) => ({ ...row, depth }))
}

/** Returns the step that a call is in, or the guard, load or action that a function of `perRequest` is in. */
function findOuter({ kind, inside }: TimedStep, steps: readonly TimedStep[]): TimedStep | undefined {
  if (kind !== 'call' && kind !== 'perRequest') return undefined
  const outer = steps[inside ?? -1]
  // Such functions can be inside each other, either way.
  return kind === 'perRequest' && outer?.kind === 'perRequest' ? findOuter(outer, steps) : outer
}

const NO_TIMES: StepTimes = {
  ...{ route: '', kind: 'request', subject: '', count: 0, sumMs: 0, maxMs: 0, counts: [] },
  ...{ blockedMs: 0, bytes: 0, maxBytes: 0 },
}

function reportRow(times: StepTimes, around: Around): SlowRow {
  const { kind, subject, count, sumMs, maxMs, blockedMs, bytes } = times
  return {
    kind,
    subject,
    count,
    totalMs: round(sumMs),
    p50Ms: round(percentile(times, 0.5)),
    p95Ms: round(percentile(times, 0.95)),
    p99Ms: round(percentile(times, 0.99)),
    maxMs: round(maxMs),
    share: shareOf(times, around),
    blockedMs: round(blockedMs),
    meanBytes: Math.round(perCall(bytes, count)),
    hints: hintsOf(times, around),
    depth: 0,
  }
}

/** Finds what to mend first: what takes the most time on all routes, or a step inside it that takes most of that time. */
function findFirst(routes: readonly SlowRoute[], allMs: number): SlowFirst | null {
  const candidates = [...groupBy(routes.flatMap(candidatesOf), ({ key }) => key).values()].map((group) => ({
    ...group[0],
    group,
    totalMs: sum(group.map(({ totalMs }) => totalMs)),
    routes: group.map(({ route }) => route),
    // Those of other routes say the same with other times.
    hints: group.find(({ row }) => row.hints.length > 0)?.row.hints ?? [],
  }))
  candidates.sort((a, b) => b.totalMs - a.totalMs)
  const [longest, ...others] = candidates
  const inner = others.find(({ group }) => {
    const insideMs = sum(group.filter(({ outer }) => outer === longest?.key).map(({ totalMs }) => totalMs))
    return insideMs >= INNER * (longest?.totalMs ?? 0)
  })
  const first = inner ?? longest
  if (first?.row === undefined) return null
  const { row, totalMs, hints } = first
  return { kind: row.kind, subject: row.subject, routes: first.routes, share: part(totalMs, allMs), hints }
}

/** Returns the steps of a route. The requests are a candidate if most of their time is in no step. */
function candidatesOf({ route, steps, ...row }: SlowRoute) {
  const outsideMs = row.totalMs - outerMs(steps.map(({ kind, totalMs }) => ({ kind, sumMs: totalMs })))
  const isOutside = row.kind === 'loop' ? row.totalMs >= MUCH_LOOP_MS : outsideMs >= MUCH_OUTSIDE * row.totalMs
  const wholeMs = row.kind === 'loop' ? row.totalMs : outsideMs
  const whole = { key: `${row.kind}\n${route}`, outer: '', route, row, totalMs: wholeMs }
  let outer = ''
  // A call is to be mended where it is made.
  const own = steps
    .filter(({ kind }) => kind !== 'call')
    .map((step) => {
      const isShared = SHARED_KINDS.includes(step.kind) && step.subject !== ''
      const key = `${isShared ? '' : route}\n${rowKey(step)}`
      // The rows inside a step follow it.
      if (step.depth === 0) outer = key
      return { key, outer, route, row: step, totalMs: step.totalMs }
    })
  return isOutside ? [...own, whole] : own
}

function rowKey({ kind, subject }: Pick<SlowRow, 'kind' | 'subject'>): string {
  return placeKey({ route: '', kind, subject })
}

function byShare(a: SlowRow, b: SlowRow): number {
  return b.totalMs - a.totalMs
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
