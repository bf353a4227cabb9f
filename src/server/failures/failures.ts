import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { formatDigest } from '../../shared/wire/digest-format.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import { publicAddress } from '../http/public-address.ts'
import type { FindTrace } from '../http/trace-context.ts'
import type { MetricsRecorder } from '../metrics/metrics-recorder.ts'
import { type Redaction, redactionFor } from '../redaction/hidden.ts'
import { SmallMap } from '../util/small-map.ts'
import type { Description } from './describe-thrown.ts'
import { createOccurrence } from './digest.ts'
import { type AnalyzedError, createErrorAnalyzer, type ErrorAnalyzer } from './error-analyzer.ts'
import type { Failure, FailureContext, FailureSubject } from './failure-context.ts'
import { recordProcessFailure } from './process-failure.ts'
import { type FailureEvent, recordFailure } from './record-failure.ts'
import { placeFrames, processFrames, type SiteFiles } from './stacks/place-frames.ts'
import type { ServerMapper, SourceMapper } from './stacks/source-map.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

export interface Failures {
  /** How long an answer waits for `onError` hooks. */
  maxHooksMs: number
  /** Every failure passes here: it gets its digest, one log line, and what may be shown of it. Never throws. */
  fail(thrown: unknown, subject: FailureSubject, details: FailureContext): Failure
  /** The request's first failure, which is the one that is shown. */
  firstOf(request: FastifyRequest): Failure | null
  /** How many different failures of the request have their line. */
  countOf(request: FastifyRequest): number
  /** Another value that stands for one which has failed: no failure of its own. */
  alias(substitute: unknown, thrown: unknown, subject: FailureSubject): void
  /** The request's address for the log: without secrets, and cut to size. */
  redactUrl(request: FastifyRequest): string
  /** A message of the request for the log: the same, without what came in its body. */
  redactMessage(text: string, request: FastifyRequest): string
  /** The same for what nothing has caught, outside of any request: it ends the process. */
  failProcess(thrown: unknown, log: FastifyBaseLogger): Failure
  /** The digest alone, for a failure whose line can only be written a moment later: `fail` has to follow. */
  name(thrown: unknown, subject: FailureSubject, details: FailureContext): Failure
  /** The same as `fail` for what a browser tells of, in a request of its own. */
  failInBrowser(failure: BrowserFailure, request: FastifyRequest): void
}

/** A failure that a browser has told of. */
export interface BrowserFailure {
  description: Description
  /** Leads its frames to the source. */
  mapper: SourceMapper
  route: string
  /** Of the page, without a query. */
  path: string
  /** Where it happened, for what has no frame of the site's own. */
  placeFrames(): readonly MappedFrame[]
  release: string
  /** The page's; null when it is none that is known. */
  build: string | null
  isRecovered: boolean
}

interface RequestFailures {
  occurrence: string
  hidden: Redaction
  first: Failure | null
  count: number
  byThrown: SmallMap<unknown, NamedFailure>
  byDigest: SmallMap<string, NamedFailure>
}

interface NamedFailure extends Failure, AnalyzedError {
  isWritten: boolean
}

const FAILURES = Symbol('failures')

/** On the request itself: a `WeakMap` has to be looked through each time that garbage is collected. */
interface Holder extends FastifyRequest {
  [FAILURES]?: RequestFailures
}

/** The request's first failure, which is the one that is shown. */
export function firstFailureOf(request: Holder): Failure | null {
  return request[FAILURES]?.first ?? null
}

export interface FailuresInput {
  mapper: ServerMapper
  files: SiteFiles
  /** What is said to have failed: `HYDRANT_RELEASE`, or the build's id. */
  release: string
  /** The build's id; null when the build could not be read. */
  build: string | null
  /** The option; empty for none. */
  digestKey: string
  /** Null when nobody measures (null). */
  measures?: Pick<MetricsRecorder, 'timedOut'> | null
  /** Takes each failure once its line is written. */
  keep(failure: FailureRecord): void
  /** How long an answer waits for `onError` hooks (10 000). */
  maxHooksMs?: number
  /** Tells the trace that a failure belongs to (by the request's `traceparent`). */
  traceOf?: FindTrace | null
}

export function createFailures({
  mapper,
  files,
  release,
  build,
  digestKey,
  measures = null,
  keep,
  maxHooksMs = 10_000,
  traceOf = null,
}: FailuresInput): Failures {
  const examiner = createErrorAnalyzer(mapper, { side: 'server', key: digestKey })
  /** Those of the scripts for browsers: what an examiner knows is of use as long as it stays. */
  const examiners = new WeakMap<SourceMapper, ErrorAnalyzer>()

  function failuresOf(request: Holder): RequestFailures {
    request[FAILURES] ??= {
      occurrence: createOccurrence(),
      hidden: redactionFor(request),
      first: null,
      count: 0,
      byThrown: new SmallMap(),
      byDigest: new SmallMap(),
    }
    return request[FAILURES]
  }

  // The same failure comes here more than once: from React's `onError` and `onShellError`, from a deferred promise
  // and from the component that reads it, from a layout that is rendered again around the fallback.
  function name(thrown: unknown, { request, route }: FailureSubject, details: FailureContext): NamedFailure {
    const own = failuresOf(request)
    const known = own.byThrown.get(thrown)
    if (known) return known
    const { fingerprint, logged, kept } = examiner.analyzeThrown(thrown, own.hidden, () =>
      placeFrames({ request, route }, details, mapper, files),
    )
    const digest = formatDigest(fingerprint, own.occurrence)
    const status = statusOf(thrown)
    const named = own.byDigest.get(digest) ?? { digest, status, fingerprint, logged, kept, isWritten: false }
    own.byThrown.set(thrown, named)
    own.byDigest.set(digest, named)
    return named
  }

  function fail(thrown: unknown, subject: FailureSubject, details: FailureContext): Failure {
    const named = name(thrown, subject, details)
    if (named.isWritten) return named
    named.isWritten = true
    const { request, route, address } = subject
    const own = failuresOf(request)
    own.first ??= named
    own.count++
    if (named.status === DEADLINE_STATUS) measures?.timedOut(route, details.phase)
    const { digest, status } = named
    const { phase, statusSent } = details
    const pending = pendingOf(details, mapper)
    const url = own.hidden.inPlace(request.originalUrl)
    const { method } = request
    const isRecovered = false
    const telling: FailureEvent = {
      digest,
      told: named,
      side: 'server',
      phase,
      route,
      method,
      host: address.host,
      url,
      requestId: requestIdOf(request, own.hidden),
      release,
      build,
      statusSent,
      status,
      isRecovered,
      pending,
    }
    recordFailure(telling, request, keep, traceOf)
    return named
  }

  function failInBrowser(failure: BrowserFailure, request: FastifyRequest) {
    const { hidden, occurrence } = failuresOf(request)
    const { description, mapper, route, path, placeFrames, release, build, isRecovered } = failure
    const examiner = examiners.get(mapper) ?? createErrorAnalyzer(mapper, { side: 'client', key: digestKey })
    examiners.set(mapper, examiner)
    const told = examiner.analyzeDescription(description, hidden, placeFrames)
    const digest = formatDigest(told.fingerprint, occurrence)
    const url = hidden.inPlace(path)
    const { host } = publicAddress(request)
    const requestId = requestIdOf(request, hidden)
    const place = { side: 'client', phase: 'client', route, method: 'GET', host, url, requestId } as const
    const nothing = { statusSent: undefined, status: null, pending: null }
    recordFailure({ digest, told, ...place, release, build, isRecovered, ...nothing }, request, keep, traceOf)
  }

  function failProcess(thrown: unknown, log: FastifyBaseLogger): Failure {
    const frames = () => processFrames(mapper, files)
    const digest = recordProcessFailure(thrown, frames, examiner, { release, build }, log, keep)
    return { digest, status: statusOf(thrown) }
  }

  function alias(substitute: unknown, thrown: unknown, { request }: FailureSubject) {
    const { byThrown } = failuresOf(request)
    const named = byThrown.get(thrown)
    if (named) byThrown.set(substitute, named)
  }

  const countOf = (request: Holder) => request[FAILURES]?.count ?? 0
  return {
    maxHooksMs,
    fail,
    failInBrowser,
    failProcess,
    name,
    firstOf: firstFailureOf,
    countOf,
    alias,
    redactUrl: (request) => failuresOf(request).hidden.inPlace(request.originalUrl),
    redactMessage: (text, request) => failuresOf(request).hidden.inMessage(text),
  }
}

const MAX_REQUEST_ID = 200

function requestIdOf({ id }: FastifyRequest, { inPlace }: Redaction): string {
  return inPlace(String(id), { maxLength: MAX_REQUEST_ID })
}

// What the deadline found unfinished: `Reviews (pages/products/[id].tsx:31:10)`
function pendingOf(
  { pending, pendingComponents = [] }: FailureContext,
  { mapComponents }: ServerMapper,
): string[] | null {
  if (pending === undefined) return null
  const places = pendingComponents.map((stack) => {
    const frames = mapComponents(stack)
    const place = frames.find(({ frame }) => frame?.isSite) ?? frames[0]
    return place ? place.text.replace(/^\s*at /, '') : 'a component'
  })
  return [...pending, ...places]
}

function statusOf(thrown: unknown): number {
  const { code } = describeCode(thrown)
  return TIMEOUTS.includes(code) ? DEADLINE_STATUS : 500
}

const DEADLINE_STATUS = 504
const TIMEOUTS: readonly unknown[] = ['HYD_LOAD_TIMEOUT', 'HYD_ACTION_TIMEOUT', 'HYD_RENDER_TIMEOUT']

function describeCode(thrown: unknown): { code?: unknown } {
  try {
    return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? { code: thrown.code } : {}
  } catch {
    return {}
  }
}
