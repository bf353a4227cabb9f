import { randomFillSync } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { encodeBase32, formatDigest, OCCURRENCE_LENGTH } from '../../shared/wire/digest-format.ts'
import { stepTraceOf } from '../http/trace-context.ts'
import type { MetricsRecorder } from '../metrics/metrics-recorder.ts'
import type { TraceContext } from '../options/config.ts'
import { type Redaction, redactionFor } from '../redaction/request-redaction.ts'
import type { AnalyzedError, ErrorAnalyzer } from './error-analyzer.ts'
import { type Failure, type FailureContext, type FailureSubject, readProperty } from './failure-context.ts'
import type { FailureEvent, RecordFailure } from './record-failure.ts'
import { placeFrames, type RouteFiles } from './stacks/place-frames.ts'
import type { ServerMapper } from './stacks/source-map.ts'

/** Values and functions that the failures of all requests to a site share. */
export interface FailureTools {
  mapper: ServerMapper
  files: RouteFiles
  analyzer: ErrorAnalyzer
  metrics: Pick<MetricsRecorder, 'deadlinePassed'>
  record: RecordFailure
}

/** A failure that has its digest. Its line is written once, by the first `write`. */
export interface NamedFailure extends Failure {
  /** Writes the log line and keeps the failure. Does nothing when that has happened already. */
  write(subject: FailureSubject, context: FailureContext): Failure
}

interface FailureEntry extends NamedFailure {
  error: AnalyzedError
  trace: TraceContext | null
  isWritten: boolean
}

/**
 * The failures of one request. All methods may be called several times for the same failure: React passes one error to
 * `onError` and `onShellError`, a deferred promise and the component that reads it throw the same value, and a layout
 * that is rendered again around the fallback throws again. Each failure gets one digest and one log line.
 */
export class RequestFailures {
  /** The second half of the digest of each failure of this request. */
  readonly occurrence = createOccurrence()
  readonly redaction: Redaction
  /** The first logged failure: the visitor sees its digest. Null if there is none. */
  first: Failure | null = null
  #request: FastifyRequest
  #tools: FailureTools
  #byThrown = new Map<unknown, FailureEntry>()
  #byDigest = new Map<string, FailureEntry>()

  constructor(request: FastifyRequest, tools: FailureTools) {
    this.redaction = redactionFor(request)
    this.#request = request
    this.#tools = tools
  }

  /** Gives a failure its digest, writes its log line and keeps it. Never throws. */
  fail(thrown: unknown, subject: FailureSubject, context: FailureContext): Failure {
    return this.name(thrown, subject, context).write(subject, context)
  }

  /** Gives a failure its digest and leaves its line to `write`. Never throws. */
  name(thrown: unknown, { route }: FailureSubject, context: FailureContext): NamedFailure {
    const existing = this.#byThrown.get(thrown)
    // `digestOf` may have named it before its status was known.
    if (existing && context.status !== undefined) existing.status = context.status
    if (existing) return existing
    const error = this.#tools.analyzer.analyzeThrown(thrown, this.redaction, () =>
      placeFrames(this.#request, route, context, this.#tools),
    )
    const digest = formatDigest(error.fingerprint, this.occurrence)
    const entry: FailureEntry = this.#byDigest.get(digest) ?? {
      digest,
      status: context.status ?? failureStatusOf(thrown),
      error,
      trace: stepTraceOf(thrown, this.#request),
      isWritten: false,
      write: (...given) => this.#write(entry, ...given),
    }
    this.#byThrown.set(thrown, entry)
    this.#byDigest.set(digest, entry)
    return entry
  }

  /** Makes another value count as the same failure as a value that has failed. */
  alias(substitute: unknown, thrown: unknown) {
    const entry = this.#byThrown.get(thrown)
    if (entry) this.#byThrown.set(substitute, entry)
  }

  /** Returns the URL of the request without secrets and cut to size, for the log. */
  redactedUrl(): string {
    return this.redaction.inPlace(this.#request.originalUrl)
  }

  #write(entry: FailureEntry, { route, address: { host } }: FailureSubject, context: FailureContext): Failure {
    // Nothing is sent to a client that has left.
    const shown = context.isLate ? this.first : entry
    if (!context.isInBackground) this.first ??= entry
    if (entry.isWritten) return entry
    entry.isWritten = true
    const { mapper, files, metrics, record } = this.#tools
    const { digest, status, error, trace } = entry
    const { phase, statusSent } = context
    const raw = this.#request
    if (status === DEADLINE_STATUS && context.status === undefined) metrics.deadlinePassed(route, phase)
    const event: FailureEvent = {
      digest,
      error,
      side: 'server',
      phase,
      request: { raw, redaction: this.redaction, route, method: raw.method, url: raw.originalUrl, host },
      statusSent,
      status: shown?.status ?? null,
      pending: describePending(context, mapper, this.redaction),
      trace,
      components: () => mapper.mapComponents(context.components?.componentStack ?? '', files.pageOf(route)),
    }
    record(event, raw)
    return entry
  }
}

const FAILURES = Symbol('failures')

/** A request without failures has no state. A decorator would be visible to an app that only registers the plugin. */
interface FailedRequest extends FastifyRequest {
  [FAILURES]?: RequestFailures
}

/** Returns the failures of a request, which are created with the first call. */
export function failuresOf(request: FailedRequest, tools: FailureTools): RequestFailures {
  request[FAILURES] ??= new RequestFailures(request, tools)
  return request[FAILURES]
}

/** Returns the request's first logged failure, or null. */
export function firstFailureOf(request: FailedRequest): Failure | null {
  return request[FAILURES]?.first ?? null
}

// Names what was unfinished when the deadline passed: `data.reviews`, `Reviews (pages/products/[id].tsx:31:10)`. The keys of
// data may be values of the visitor.
function describePending(
  { pending, pendingComponents = [] }: FailureContext,
  { mapComponents }: ServerMapper,
  { inMessage }: Redaction,
): string[] | null {
  if (pending === undefined) return null
  const components = pendingComponents.map((stack) => {
    const frames = mapComponents(stack)
    const innermost = frames.find(({ frame }) => frame?.isSite) ?? frames[0]
    return innermost ? innermost.text.replace(/^\s*at /, '') : 'a component'
  })
  return [...pending.map((name) => inMessage(name)), ...components]
}

const OCCURRENCE_BYTES = 4
const random = Buffer.alloc(128 * OCCURRENCE_BYTES)
let randomEnd = random.length

/**
 * Names a request: 30 random bits.
 *
 * perf: the bytes of many names are drawn at a time, 0.1 µs instead of 2.5 µs for 18 bytes, commit 8d8d4fde
 */
export function createOccurrence(): string {
  if (randomEnd === random.length) {
    randomFillSync(random)
    randomEnd = 0
  }
  randomEnd += OCCURRENCE_BYTES
  return encodeBase32(random, OCCURRENCE_LENGTH, randomEnd - OCCURRENCE_BYTES)
}

/** The status of a failure whose deadline passed. */
const DEADLINE_STATUS = 504

const TIMEOUT_CODES: readonly unknown[] = [
  'HYD_GUARD_TIMEOUT',
  'HYD_LOAD_TIMEOUT',
  'HYD_ACTION_TIMEOUT',
  'HYD_SCHEMA_TIMEOUT',
  'HYD_RENDER_TIMEOUT',
]

/** Returns the HTTP status for a failure: 504 when a deadline passed, else 500. */
export function failureStatusOf(thrown: unknown): number {
  return TIMEOUT_CODES.includes(readProperty(thrown, 'code')) ? DEADLINE_STATUS : 500
}
