// How long the steps of one request take, and which of them block the event loop.

import type { FastifyRequest } from 'fastify'
import type { ServerMetric } from '../../shared/wire/navigation-protocol.ts'
import type { Step } from '../options/config.ts'

/**
 * The kinds of steps, and three that the option `instrument` does not get. `data`: writing the data of loads as JSON. `request`:
 * from its arrival to the end of its response. `loop`: code that blocked the event loop and is not known to belong to a step.
 */
export type TimedKind = Step['kind'] | 'data' | 'request' | 'loop'

/** One step of a request. */
export interface TimedStep {
  kind: TimedKind
  /**
   * The file, with the line of the function if the build knows it (`pages/cart.server.ts:12`), the place in the data
   * (`data.reviews`), or what the step waits for; empty for the kinds that a request has once.
   */
  subject: string
  startMs: number
  durationMs: number
  /** For how long the step has blocked the event loop; only blocks of 50 ms or more are seen. */
  blockedMs: number
  /** The characters of the data that a load has returned, or of the rendered document; 0 for other kinds. */
  bytes: number
}

/** The times of one request. They must not lead to its context, which an open connection would keep for some time. */
export interface RequestTimes {
  /** In the order in which they began. `startMs` is that of `performance.now()`. The duration of a step that runs is NaN. */
  steps: TimedStep[]
  /** How a page with the export `cache` was made, and why it was not stored (`pass: read`); null for any other. */
  cache: string | null
  /** Where the functions of the site are, for the subjects: see `Manifest.places`; null before the first step. */
  places: Readonly<Record<string, string>> | null
  /** Takes the steps that end after the request; null until the request has ended. */
  onLate: ((step: TimedStep) => void) | null
}

const TIMES = Symbol('times')

// perf: a property of the request, 0.5 µs less than an entry in a `WeakMap`, decision 053
type Holder = object & { [TIMES]?: RequestTimes }

/** Returns the times of a request, which begin with the first call. */
export function timesOf(request: Holder): RequestTimes {
  request[TIMES] ??= { steps: [], cache: null, places: null, onLate: null }
  return request[TIMES]
}

/** Returns the times of a request; undefined for one without a step. */
export function findTimes(request: Holder): RequestTimes | undefined {
  return request[TIMES]
}

/** Begins a step of a request. Its time is added to those of the request by `endStep`. */
export function beginStep(kind: TimedKind, subject: string, times: RequestTimes): TimedStep {
  const step: TimedStep = { kind, subject, startMs: loop.see(), durationMs: Number.NaN, blockedMs: 0, bytes: 0 }
  times.steps.push(step)
  loop.add(step)
  return step
}

export function endStep(step: TimedStep, times: RequestTimes) {
  loop.charge(step)
  step.durationMs = loop.seenAt - step.startMs
  loop.remove(step)
  times.onLate?.(step)
}

/** Runs the work of a step up to its first pause. */
function run<Result>(step: TimedStep, work: () => Result): Result {
  const around = loop.running
  loop.running = step
  try {
    return work()
  } finally {
    loop.charge(step)
    loop.running = around
  }
}

/** Does the work of a step that returns no promise. Returns what the work returns. */
export function timeWork<Result>(kind: TimedKind, times: RequestTimes, work: () => Result): Result {
  const step = beginStep(kind, '', times)
  try {
    return work()
  } finally {
    endStep(step, times)
  }
}

/** Does the work of a step. Returns what the work returns, or a promise of it. */
export function timeStep<Result>(
  kind: TimedKind,
  subject: string,
  times: RequestTimes,
  work: () => Result | PromiseLike<Result>,
): Result | PromiseLike<Result> {
  const step = beginStep(kind, subject, times)
  let result: Result | PromiseLike<Result>
  try {
    result = run(step, work)
  } catch (thrown) {
    endStep(step, times)
    throw thrown
  }
  if (isThenable(result)) return endAfter(result, step, times)
  endStep(step, times)
  return result
}

// Stacks keep the callers of the work, which V8 finds through a single `await`. A thenable is asked once, because a builder
// of a query runs its query each time.
async function endAfter<Result>(result: PromiseLike<Result>, step: TimedStep, times: RequestTimes): Promise<Result> {
  try {
    return await result
  } finally {
    endStep(step, times)
  }
}

function isThenable<Result>(result: Result | PromiseLike<Result>): result is PromiseLike<Result> {
  return typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function'
}

/** What the line of a request says of its times: the time of all loads together, of the render, and the cache's result. */
export function summarizeTimes(request: FastifyRequest) {
  const { steps = [], cache = null } = findTimes(request) ?? {}
  return { loadMs: spanOf('load', steps), renderMs: spanOf('render', steps), cache: cache ?? undefined }
}

/** Returns the time from the start of the first step of a kind to the end of the last one; undefined without one. */
function spanOf(kind: TimedKind, steps: readonly TimedStep[]): number | undefined {
  let [start, end] = [Infinity, 0]
  for (const step of steps) {
    if (step.kind !== kind || Number.isNaN(step.durationMs)) continue
    start = Math.min(start, step.startMs)
    end = Math.max(end, step.startMs + step.durationMs)
  }
  return end === 0 ? undefined : Math.round((end - start) * 100) / 100
}

/** Ends the search for what blocks the event loop in the steps of a request that has ended: a load may never settle. */
export function forgetSteps({ steps }: RequestTimes) {
  for (const step of steps) loop.remove(step)
}

/** Notes the length of the data that the load of a file has returned, as JSON. */
export function noteLength(file: string, length: number, request: FastifyRequest) {
  const step = findTimes(request)?.steps.findLast(({ kind, subject }) => kind === 'load' && subject === file)
  if (step) step.bytes = length
}

const MAX_HEADER = 2_000

/**
 * Returns the metrics of what has ended by now.
 *
 * @param elapsedMs The time since the arrival of the request.
 */
export function listMetrics(route: string, elapsedMs: number, request: FastifyRequest): ServerMetric[] {
  const { steps = [], cache = null, places = null } = findTimes(request) ?? {}
  const ended = steps.filter(({ durationMs }) => !Number.isNaN(durationMs))
  return [
    { name: 'total', duration: elapsedMs },
    { name: 'route', description: route },
    ...(cache === null ? [] : [{ name: 'cache', description: cache }]),
    ...ended.map((step) => {
      const size = step.bytes === 0 ? '' : ` (${step.bytes} characters)`
      return { name: step.kind, duration: step.durationMs, description: placeOf(step, places) + size }
    }),
  ]
}

/** Returns the value of the header `Server-Timing` (https://www.w3.org/TR/server-timing/). */
export function writeServerTiming(metrics: readonly ServerMetric[]): string {
  let text = ''
  // Proxies limit the length of the headers.
  for (const one of metrics.map(writeMetric))
    if (text.length + one.length < MAX_HEADER) text += text === '' ? one : `, ${one}`
  return text
}

function writeMetric({ name, duration, description }: ServerMetric): string {
  const quoted = description?.replaceAll(/[^ -~]/gu, encodeOne).replaceAll(/["\\]/g, '\\$&')
  const parts = [
    ...(quoted ? [`desc="${quoted}"`] : []),
    ...(duration === undefined ? [] : [`dur=${duration.toFixed(1)}`]),
  ]
  return [name, ...parts].join(';')
}

/** A half of a surrogate pair cannot be encoded. */
const encodeOne = (character: string) => encodeURIComponent(Buffer.from(character).toString())

/** Returns the subject of a step, with the line of its function if the build knows it. */
export function placeOf(
  { kind, subject }: Pick<TimedStep, 'kind' | 'subject'>,
  places: RequestTimes['places'],
): string {
  return places?.[`${subject} ${kind}`] ?? subject
}

/** A step that runs for less than this without a pause does not block the event loop. */
const BLOCK_MS = 50
/** How often the event loop is seen if no step begins or ends. */
const TICK_MS = 20

/** Called with the time for which code has blocked the event loop that is not known to belong to a step. */
export type OnBlocked = (durationMs: number) => void

/**
 * The event loop of this process. It is seen to run when a step begins or ends, and by a timer. If it was not seen for long
 * before a step ends, this step has blocked it: otherwise other code would have run. Code after an `await` is known to belong
 * to a step only if no other step was open.
 */
const loop = createLoopClock()

function createLoopClock() {
  const listeners = new Set<OnBlocked>()
  let timer: NodeJS.Timeout | undefined
  const clock = {
    /** When the event loop was last seen, as `performance.now()`. */
    seenAt: 0,
    /** The step whose code runs up to its first pause. */
    running: null as TimedStep | null,
    /** The steps that have not ended, in no order. */
    open: [] as TimedStep[],
    add(step: TimedStep) {
      if (listeners.size > 0) clock.open.push(step)
    },
    remove(step: TimedStep) {
      const index = clock.open.lastIndexOf(step)
      if (index === -1) return
      const last = clock.open.pop()
      if (last !== undefined && last !== step) clock.open[index] = last
    },
    /** Returns the time. */
    see(): number {
      const last = clock.seenAt
      clock.seenAt = performance.now()
      const blockedMs = clock.seenAt - last
      if (blockedMs < BLOCK_MS + TICK_MS || listeners.size === 0) return clock.seenAt
      const step = clock.running ?? onlyOne(clock.open)
      if (step) step.blockedMs += blockedMs
      else for (const listener of listeners) listener(blockedMs)
      return clock.seenAt
    },
    /** Notes that the step has run up to now. */
    charge(step: TimedStep) {
      const last = Math.max(clock.seenAt, step.startMs)
      clock.seenAt = performance.now()
      const blockedMs = clock.seenAt - last
      if (blockedMs >= BLOCK_MS && listeners.size > 0) step.blockedMs += blockedMs
    },
    /** Calls the listener, until the returned function is called. */
    watch(listener: OnBlocked): () => void {
      listeners.add(listener)
      clock.seenAt = performance.now()
      timer ??= setInterval(clock.see, TICK_MS).unref()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
  return clock
}

/** Returns the step if only one is open, also if it waits for a single function of `perRequest`: then this one. */
function onlyOne(open: readonly TimedStep[]): TimedStep | undefined {
  if (open.length === 1) return open[0]
  const inner = open.filter(({ kind }) => kind === 'perRequest')
  return open.length === 2 && inner.length === 1 ? inner[0] : undefined
}

const MAX_PLACE = 60

/**
 * Returns the place of a promise in the data, up to its first key. The keys below may be values, such as the names of
 * visitors.
 */
export function shortPlace(place: string): string {
  const [short = '', first = ''] = /^\w+(\.\w+)?/.exec(place) ?? []
  return `${short.slice(0, MAX_PLACE)}${short.length < place.length || first.length > MAX_PLACE ? '.…' : ''}`
}

/** Begins to measure what blocks the event loop of this process. Returns a function that ends it. */
export function watchLoop(onBlocked: OnBlocked): () => void {
  return loop.watch(onBlocked)
}
