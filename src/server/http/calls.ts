// Requests that the code of a step sends to other servers, with `fetch`, undici or `node:http`: steps inside this step. Node.js
// tells of them on channels, in the async context of the code that sends them.

import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { parseUrl } from '../util/addresses.ts'
import { loop, type RunningStep } from './event-loop.ts'
import { createStep, type RequestTimes, type TimedKind, type TimedStep } from './request-times.ts'

/** Times the calls of the process, until the returned function is called. */
export function watchCalls(): () => void {
  // The steps that have not ended are known only while the event loop is watched.
  const stop = loop.watch(() => {})
  if (++watchers === 1) for (const [channel, listener] of CHANNELS) subscribe(channel, listener)
  return () => {
    stop()
    if (--watchers > 0) return
    for (const [channel, listener] of CHANNELS) unsubscribe(channel, listener)
    callers.clear()
    suspicions.clear()
    names.clear()
    traced.clear()
    disable()
  }
}

let watchers = 0

// `AsyncLocalStorage` costs a small page 8 % of its processor time before Node.js 24, in all steps of the process while it is
// enabled. So it is enabled only while a step runs whose function is new, or has made calls lately.

/** The steps of the code that runs. Sockets and timers that the code creates keep one for as long as they exist. */
const scopes = new AsyncLocalStorage<RunningStep>()
let isEnabled = false
/** The steps for which it is enabled. */
const traced = new Set<TimedStep>()
let isEnding = false
/** What a load has begun, such as deferred promises, may go on for this long until another step shows that it does. */
const IDLE_MS = 100

/** How many more times the functions of a subject are expected to make calls, without making one. */
const callers = new Map<string, number>()
const RUNS = 100
/** How often a function that waited has been suspected of a call, without making one since. Others send requests, too. */
const suspicions = new Map<string, number>()
const MAX_SUSPICIONS = 10
const CALLER_KINDS: readonly TimedKind[] = ['guard', 'load', 'action', 'perRequest']

/** Runs the code of a step. If its function may make calls, these are found to be its own, also after an `await`. */
export function runWithCalls<Result>(running: RunningStep, code: () => Result): Result {
  return mayCall(running.step) ? scopes.run(running, code) : code()
}

function mayCall(step: TimedStep): boolean {
  if (watchers === 0) return false
  const { kind, subject } = step
  const runs = CALLER_KINDS.includes(kind) ? (callers.get(subject) ?? RUNS) : 0
  if (runs === 0) return isEnabled
  callers.set(subject, runs - 1)
  isEnabled = true
  traced.add(step)
  return true
}

/** Returns code that belongs to the step that runs now, also if it is called in another async context. */
export function bindToStep<Result>(code: () => Result): () => Result {
  const running = isEnabled ? scopes.getStore() : undefined
  return running ? () => scopes.run(running, code) : code
}

/** Ends the search for calls of a step. */
export function endCalls(step: TimedStep) {
  if (traced.size === 0 || !traced.delete(step) || traced.size > 0) return
  if (isEnding) return
  isEnding = true
  setTimeout(() => {
    isEnding = false
    if (traced.size === 0) disable()
  }, IDLE_MS).unref()
}

function disable() {
  isEnabled = false
  scopes.disable()
}

/** Returns the step whose code runs now; null if there is none, or if it is not known. */
export function findRunning(): RunningStep | null {
  return (isEnabled ? scopes.getStore() : undefined) ?? loop.running
}

interface Call {
  step: TimedStep
  times: RequestTimes
}

/** By the request that Node.js or undici has created. */
const calls = new WeakMap<object, Call>()
/** A timer that a load has started may make calls for as long as the process runs. */
const MAX_STEPS = 1_000

function beginCall(request: object, method: string, origin: string) {
  const running = findRunning()
  if (!running) return suspectOpen()
  for (let one: RunningStep | null = running; one; one = one.outer) {
    callers.set(one.step.subject, RUNS)
    suspicions.delete(one.step.subject)
  }
  const { step: outer, times } = running
  if (times.steps.length >= MAX_STEPS) return
  const step = createStep('call', nameCall(method, origin), performance.now(), times.steps.indexOf(outer))
  times.steps.push(step)
  calls.set(request, { step, times })
}

/** One of the functions that wait has made a call: the next time, it is known which. */
function suspectOpen() {
  for (const { kind, subject } of loop.open) {
    const count = suspicions.get(subject) ?? 0
    if (!CALLER_KINDS.includes(kind) || callers.get(subject) !== 0 || count >= MAX_SUSPICIONS) continue
    suspicions.set(subject, count + 1)
    callers.set(subject, RUNS)
  }
}

/** Ends a call with the headers of the response, and again with its last byte, if that is read. */
function endCall(request: object) {
  const call = calls.get(request)
  if (!call) return
  const { step, times } = call
  const isFirst = Number.isNaN(step.durationMs)
  step.durationMs = performance.now() - step.startMs
  if (isFirst) times.onLate?.(step)
}

const names = new Map<string, string>()
const MAX_NAMES = 50
const MAX_NAME = 100
const OTHERS = 'other servers'

/** Returns `GET https://api.example`: the path, the query and the user may be secrets. A process has few names. */
function nameCall(method: string, url: string): string {
  const key = `${method} ${url}`
  const known = names.get(key)
  if (known !== undefined) return known
  const parsed = names.size < MAX_NAMES ? parseUrl(url) : null
  if (parsed === null) return OTHERS
  const name = `${method} ${parsed.origin}`.slice(0, MAX_NAME)
  names.set(key, name)
  return name
}

// The types of these messages are those of https://nodejs.org/api/diagnostics_channel.html#built-in-channels and
// https://undici.nodejs.org/#/docs/api/DiagnosticsChannel.
type Listener = (message: unknown) => void

const onEnd: Listener = (message) => endCall((message as { request: object }).request)

const CHANNELS: [channel: string, Listener][] = [
  [
    'undici:request:create',
    (message) => {
      const { request } = message as { request: { method: string; origin: unknown } }
      beginCall(request, request.method, String(request.origin))
    },
  ],
  ['undici:request:headers', onEnd],
  ['undici:request:trailers', onEnd],
  ['undici:request:error', onEnd],
  [
    'http.client.request.start',
    (message) => {
      const { request } = message as { request: ClientRequest }
      beginCall(request, request.method, `${request.protocol}//${String(request.getHeader('host') ?? request.host)}`)
      // Also without a response: not all versions of Node.js have a channel for errors.
      if (calls.has(request)) request.once('close', () => endCall(request))
    },
  ],
  ['http.client.response.finish', onEnd],
]
