// How long the steps of one request took: what is kept of it, and how the header `Server-Timing` says it.

import type { FastifyRequest } from 'fastify'
import type { ServerMetric } from '../../shared/wire/navigation-protocol.ts'
import type { Step } from '../options/config.ts'

/**
 * The kinds of steps, and four that the option `instrument` does not get. `call`: an HTTP request to another server. `data`: writing
 * the data of loads as JSON. `request`: from its arrival to the end of its response. `loop`: code that blocked the event loop and is
 * not known to belong to a step.
 */
export type TimedKind = Step['kind'] | 'call' | 'data' | 'request' | 'loop'

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
  /** The index of the step whose code began it, among the steps of the request; null if that is none, or not known. */
  inside: number | null
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
  request[TIMES] ??= createTimes()
  return request[TIMES]
}

export function createTimes(): RequestTimes {
  return { steps: [], cache: null, places: null, onLate: null }
}

/** Returns the times of a request; undefined for one without a step. */
export function findTimes(request: Holder): RequestTimes | undefined {
  return request[TIMES]
}

/** Creates a step that has begun. It is not yet among those of its request. */
export function createStep(kind: TimedKind, subject: string, startMs: number, inside: number | null): TimedStep {
  return { kind, subject, startMs, durationMs: Number.NaN, blockedMs: 0, bytes: 0, inside }
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

/** Notes the length of the data that the load of a file has returned, as JSON. */
export function noteLength(file: string, length: number, { steps }: RequestTimes) {
  const step = steps.findLast(({ kind, subject }) => kind === 'load' && subject === file)
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
  const ended = nestSteps(steps).filter(({ step }) => !Number.isNaN(step.durationMs))
  return [
    { name: 'total', duration: elapsedMs },
    { name: 'route', description: route },
    ...(cache === null ? [] : [{ name: 'cache', description: cache }]),
    ...ended.map(({ step }) => {
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

/** Returns the steps with those that are inside them after each. The order is otherwise the same. */
export function nestSteps<S extends Pick<TimedStep, 'inside'>>(steps: readonly S[]): { step: S; depth: number }[] {
  const within = new Map<number | null, number[]>()
  for (const [index, { inside }] of steps.entries()) {
    const indexes = within.get(inside)
    if (indexes) indexes.push(index)
    else within.set(inside, [index])
  }
  const nest = (inside: number | null, depth: number): { step: S; depth: number }[] =>
    (within.get(inside) ?? []).flatMap((index) => {
      const step = steps[index]
      return step ? [{ step, depth }, ...nest(index, depth + 1)] : []
    })
  return nest(null, 0)
}

/** Returns the subject of a step, with the line of its function if the build knows it. */
export function placeOf(
  { kind, subject }: Pick<TimedStep, 'kind' | 'subject'>,
  places: RequestTimes['places'],
): string {
  return places?.[`${subject} ${kind}`] ?? subject
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
