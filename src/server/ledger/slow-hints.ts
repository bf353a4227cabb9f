// What makes a step slow, in words, where its times show it.

import { percentile, type SlowRequest, type StepTimes, type TimedKind, type TimedStep } from './times.ts'

/** A route, as the hints of its rows need it. */
export interface Around {
  whole: StepTimes
  steps: readonly StepTimes[]
  kept: readonly SlowRequest[]
  totalMs: number
  /** Whether much of the time, code of no known step has blocked the event loop: it may be that of a step that seems to wait. */
  isLoopBlocked: boolean
}

/** Below this share of all time, nothing is said about whether a step waits: mending it gains nothing. */
const LEAST_SHARE = 0.01
/** Less than this is not worth a hint. A single block of 50 ms is seen. */
const MUCH_BLOCKED_MS = 100
/** A step that takes this long on average would have been seen if it blocked the event loop. */
const LONG_MS = 100
/** A step waits if it blocks for less than the first part of its time, and computes from the second part on. */
const WAITING = 0.1
const COMPUTING = 0.5
const MUCH_DATA = 100_000
const LARGE_DOCUMENT = 500_000
const SLOW_FOLDER_MS = 50
const SLOW_STORE_MS = 50
const SLOW_RENDER_MS = 20
const SLOW_SEQUENCE_MS = 10
const HIGH_RENDER_SHARE = 0.1
/** Calls and functions of `perRequest` take this part of the step that they are in, in this part of its requests. */
const FILLED = 0.8
const OFTEN = 0.5
/** The end of a step and the beginning of the next one are measured one after the other. */
const TOLERANCE_MS = 1
/** The part of the time of a route's requests that is in no step. */
export const MUCH_OUTSIDE = 0.5
const SLOW_OUTSIDE_MS = 50
/** Steps that are code of the site, which waits or computes. */
const SITE_KINDS: readonly TimedKind[] = ['guard', 'load', 'action', 'deferred', 'perRequest']

/** Returns what makes the steps of a place slow; empty if their times do not show it. */
export function hintsOf(times: StepTimes, around: Around): string[] {
  const isStep = times.kind !== 'request' && times.kind !== 'loop'
  return [...HINTS[times.kind](times, around), ...(isStep ? codeHints(times, around) : [])]
}

/** Returns what is special about the kind. */
const HINTS: Record<TimedKind, (times: StepTimes, around: Around) => string[]> = {
  request: (times, around) => [...documentHints(times, around), ...outsideHints(times, around), ...cacheHints(around)],
  loop: ({ sumMs, maxMs }) => [
    `a timer, a hook, or a step after an await blocked the event loop: ${msText(sumMs)} in all, up to ${msText(maxMs)} at a time`,
  ],
  guard: (times) =>
    percentile(times, 0.95) >= SLOW_FOLDER_MS ? ['slow guard: all pages below its folder wait for it'] : [],
  load: (times) => [...layoutHints(times), ...dataHints(times)],
  data: (times, around) => (isHeavy(times, around) ? ['writing the data of the loads as JSON takes the time'] : []),
  render: renderHints,
  store: (times) =>
    percentile(times, 0.95) >= SLOW_STORE_MS
      ? ['the store of the cache answers slowly: pages that this process has not stored wait for it']
      : [],
  action: () => [],
  deferred: () => [],
  perRequest: () => [],
  call: () => [],
  cache: () => [],
}

function codeHints(times: StepTimes, around: Around): string[] {
  const isSite = SITE_KINDS.includes(times.kind)
  const blocking = blockHints(times, isSite)
  if (!isSite) return blocking
  return [...sequenceHints(times, around), ...(blocking.length > 0 ? blocking : waitHints(times, around))]
}

function blockHints({ count, sumMs, blockedMs }: StepTimes, isSite: boolean): string[] {
  if (blockedMs < MUCH_BLOCKED_MS) return []
  const average = count > 1 ? `${msText(perCall(blockedMs, count))} each time on average, ` : ''
  const isMost = blockedMs >= COMPUTING * sumMs
  const computes = isSite && isMost ? 'computes, and ' : ''
  // A block counts as that of the only open step, also if other code has run.
  const waits = isMost ? '' : ', or waits while other code does'
  return [`${computes}blocks the event loop${waits}: ${average}${msText(blockedMs)} in all`]
}

function waitHints(times: StepTimes, around: Around): string[] {
  if (!waits(times, around) || waitsInside(times, around)) return []
  const calls = findInside(times, around, findCalls)
  if (calls.length > 0) return [`waits for ${[...new Set(calls)].join(', ')}`]
  return [`waits for a database, a service or a file${around.isLoopBlocked ? ', or computes after an await' : ''}`]
}

function waits(times: StepTimes, around: Around): boolean {
  const { count, sumMs, blockedMs } = times
  const isLong = perCall(sumMs, count) >= LONG_MS && shareOf(times, around) >= LEAST_SHARE
  return isLong && blockedMs < WAITING * sumMs
}

/** Returns whether what runs one after another in the step is what waits, which another hint says. */
function waitsInside(times: StepTimes, around: Around): boolean {
  const inside = findInside(times, around, findSequence)
  return around.steps.some(
    (step) =>
      inside.includes(step.subject) && (step.kind === 'call' || (step.kind === 'perRequest' && waits(step, around))),
  )
}

/** A rendered document has its length before the compression. */
function documentHints(whole: StepTimes, { steps }: Around): string[] {
  const rendered = steps.find(({ kind }) => kind === 'render')
  const { bytes, count } = rendered ?? whole
  const size = perCall(bytes, count)
  if (size < LARGE_DOCUMENT) return []
  return [`large ${rendered ? 'document' : 'response'}: ${bytesText(size)}`]
}

// Loads overlap, so this is the least that is in no step.
function outsideHints({ sumMs, count }: StepTimes, { steps }: Around): string[] {
  const outsideMs = sumMs - outerMs(steps)
  if (outsideMs < MUCH_OUTSIDE * sumMs || perCall(outsideMs, count) < SLOW_OUTSIDE_MS) return []
  return [
    `${percentText(outsideMs / sumMs)} of its time is in no step: hooks and routes of server.ts, a slow client, or a blocked event loop`,
  ]
}

/** Returns the time of the steps that are in no other step. */
export function outerMs(steps: readonly Pick<StepTimes, 'kind' | 'sumMs'>[]): number {
  return sum(steps.filter((step) => !isInner(step)).map(({ sumMs }) => sumMs))
}

function cacheHints({ kept }: Around): string[] {
  const passed = kept.flatMap(({ cache }) => (cache?.startsWith('pass: ') ? [cache] : []))
  return passed[0] !== undefined && passed.length >= OFTEN * kept.length
    ? [`the page cache does not store it: ${passed[0]}`]
    : []
}

function layoutHints(times: StepTimes): string[] {
  const isLayout = /(?:^|\/)layout\.server\./.test(times.subject)
  return isLayout && percentile(times, 0.95) >= SLOW_FOLDER_MS
    ? ['slow layout: all pages below its folder load it']
    : []
}

function dataHints({ bytes, count }: StepTimes): string[] {
  const size = perCall(bytes, count)
  return size >= MUCH_DATA ? [`returns much data: ${bytesText(size)} each time`] : []
}

function isHeavy(times: StepTimes, around: Around): boolean {
  return percentile(times, 0.95) >= SLOW_RENDER_MS && shareOf(times, around) >= HIGH_RENDER_SHARE
}

function renderHints(times: StepTimes, around: Around): string[] {
  if (!isHeavy(times, around)) return []
  const size = perCall(times.bytes, times.count)
  return [
    `rendering takes the time: ${size >= MUCH_DATA ? `${bytesText(size)} of HTML` : 'many elements, or components that compute'}`,
  ]
}

/** Says which calls and functions of `perRequest` run one after another in a step, although they could run together. */
function sequenceHints(times: StepTimes, around: Around): string[] {
  const subjects = findInside(times, around, findSequence)
  if (subjects.length === 0 || perCall(times.sumMs, times.count) < SLOW_SEQUENCE_MS) return []
  const names = [...new Set(subjects)].map((subject) => {
    const often = subjects.filter((one) => one === subject).length
    const inner = around.steps.find((step) => isInner(step) && step.subject === subject)
    const took = inner ? ` (${msText(percentile(inner, 0.5))}${often > 1 ? ' each' : ''})` : ''
    return `${often > 1 ? `${often} × ` : ''}${subject}${took}`
  })
  return [`runs one after another: ${names.join(', ')}; start those together that do not need each other (Promise.all)`]
}

type FindInside = (step: TimedStep, inside: readonly TimedStep[]) => string[] | null

/** Returns what is often found in the steps of a place: the subjects of steps inside them; else none. */
function findInside({ kind, subject }: StepTimes, { kept }: Around, find: FindInside): string[] {
  const all = kept.flatMap(({ steps }) =>
    steps.flatMap((step, index) =>
      step.kind === kind && step.subject === subject ? [find(step, stepsInside(step, index, steps))] : [],
    ),
  )
  const found = all.filter((subjects) => subjects !== null)
  return found.length >= OFTEN * all.length ? (found[0] ?? []) : []
}

/** Returns the calls and functions of `perRequest` inside a step, in the order in which they began. */
function stepsInside(outer: TimedStep, index: number, steps: readonly TimedStep[]): TimedStep[] {
  return steps
    .filter(isInner)
    .filter((step) => (step.inside === null ? outer === onlyLoadAround(step, steps) : step.inside === index))
    .filter((step) => isAround(outer, step))
    .sort((a, b) => a.startMs - b.startMs)
}

/** Returns the load of a function of `perRequest` that is called after an `await`, if no other one may have called it. */
function onlyLoadAround(step: TimedStep, steps: readonly TimedStep[]): TimedStep | null {
  const [load = null, ...others] = steps.filter((one) => one.kind === 'load' && isAround(one, step))
  return others.length === 0 ? load : null
}

function isAround(outer: TimedStep, step: TimedStep): boolean {
  return step.startMs >= outer.startMs - TOLERANCE_MS && endOf(step) <= endOf(outer) + TOLERANCE_MS
}

/** Returns whether steps of the kind run inside other steps. */
function isInner({ kind }: Pick<TimedStep, 'kind'>): boolean {
  return kind === 'perRequest' || kind === 'call'
}

/** Returns what fills the step without overlap; null if there are less than two. */
function findSequence(outer: TimedStep, inside: readonly TimedStep[]): string[] | null {
  const isApart = inside.every((step, index) => {
    const next = inside[index + 1]
    return next === undefined || endOf(step) <= next.startMs + TOLERANCE_MS
  })
  const insideMs = sum(inside.map(({ durationMs }) => durationMs))
  if (inside.length < 2 || !isApart || insideMs < FILLED * outer.durationMs) return null
  return inside.map(({ subject }) => subject)
}

/** Returns the calls that fill the step, also at the same time; null if they do not. */
function findCalls(outer: TimedStep, inside: readonly TimedStep[]): string[] | null {
  const calls = inside.filter(({ kind }) => kind === 'call')
  let [until, coveredMs] = [0, 0]
  for (const call of calls) {
    coveredMs += Math.max(0, endOf(call) - Math.max(until, call.startMs))
    until = Math.max(until, endOf(call))
  }
  return calls.length > 0 && coveredMs >= FILLED * outer.durationMs ? calls.map(({ subject }) => subject) : null
}

function endOf({ startMs, durationMs }: TimedStep): number {
  return startMs + durationMs
}

export function shareOf({ sumMs }: StepTimes, { totalMs }: Around): number {
  return part(sumMs, totalMs)
}

/** Returns a part from 0 to 1. */
export function part(ms: number, ofMs: number): number {
  return ofMs > 0 ? Math.round((ms / ofMs) * 10_000) / 10_000 : 0
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

export function perCall(amount: number, count: number): number {
  return count > 0 ? amount / count : 0
}

/** Returns a duration as text: `0.4 ms`, `310 ms`, `4.2 s`. */
export function msText(ms: number): string {
  if (ms >= 99_950) return `${Math.round(ms / 1_000)} s`
  if (ms >= 999.5) return `${(ms / 1_000).toFixed(1)} s`
  return ms >= 9.95 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`
}

const UNITS = ['B', 'kB', 'MB', 'GB']

/** Returns a number of bytes as text: `1.2 MB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  return `${power === 0 ? Math.round(bytes) : (bytes / 1_000 ** power).toFixed(1)} ${UNITS[power] ?? ''}`
}

/** Returns a share as text: `54 %`. */
export function percentText(share: number): string {
  return share > 0 && share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`
}
