import type { FastifyRequest } from 'fastify'
import type { Side } from '../../shared/wire/public-error.ts'
import type { DevelopmentDetails, FailureRecord, Phase } from '../errors/failure-record.ts'
import { userAgentClass } from '../http/negotiate.ts'
import { pathOf } from '../http/request-url.ts'
import { type FindTrace, findTrace, type TraceContext } from '../http/trace-context.ts'
import type { AnalyzedError } from './error-analyzer.ts'
import { type FailureLine, writeFailure } from './failure-log.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

/** A failure in a request that has its digest and is ready to be recorded. */
export interface FailureEvent {
  digest: string
  error: AnalyzedError
  side: Side
  phase: Phase
  route: string
  method: string
  /** The host as the visitor sees it. */
  host: string
  /** Redacted. */
  url: string
  /** Redacted, as an app may take it from a header. */
  requestId: string
  release: string
  /** The id of the build; null when it is unknown. */
  build: string | null
  /** The status that was sent before the failure; undefined when none was. */
  statusSent: number | undefined
  /** The status of the response; null for a failure in a browser, and if the client left before. */
  status: number | null
  isRecovered: boolean
  /** The work that was unfinished when a deadline passed; null for any other failure. */
  pending: string[] | null
  /** The trace of the step that failed; null to find that of the request. */
  trace: TraceContext | null
  /** Returns the components around the place, innermost first. */
  components(): readonly MappedFrame[]
}

/** Logs a failure and keeps it. */
export type RecordFailure = (event: FailureEvent, request: FastifyRequest) => void

export interface RecordFailureSettings {
  /** Takes the record of each failure. */
  keep(failure: FailureRecord): void
  traceOf: FindTrace | null
  /** Whether records have details. React writes a stack of components at half the cost of a page. */
  hasDetails: boolean
}

/** A report of a browser may have a path of the same length. */
const MAX_PATH = 2_000

/** Writes the log line of a failure, then passes its record to `keep`. */
export function recordFailure(
  event: FailureEvent,
  request: FastifyRequest,
  { keep, traceOf, hasDetails }: RecordFailureSettings,
) {
  const { digest, error, side, phase, route, method, host, url, requestId, release, build, statusSent, status } = event
  const { isRecovered, pending } = event
  const trace = event.trace ?? findTrace(request, traceOf)
  const line: FailureLine = { digest, side, phase, route, method, url, host, err: error.logged }
  if (statusSent !== undefined) line.statusSent = statusSent
  if (isRecovered) line.isRecovered = isRecovered
  if (pending) line.pending = pending
  if (trace) Object.assign(line, trace)
  writeFailure(line, request)
  const record: FailureRecord = {
    digest,
    fingerprint: error.fingerprint,
    side,
    time: Date.now(),
    phase,
    message: error.kept.message,
    error: error.kept,
    route,
    method,
    path: pathOf(url).slice(0, MAX_PATH),
    host,
    requestId,
    release,
    userAgent: userAgentClass(request.headers['user-agent']),
    statusSent: statusSent ?? status,
    isRecovered,
  }
  if (build !== null) record.build = build
  if (pending) record.pending = pending
  if (trace) Object.assign(record, trace)
  if (hasDetails) record.details = detailsOf(event, request)
  keep(record)
}

function detailsOf({ components }: FailureEvent, { headers }: FastifyRequest): DevelopmentDetails {
  const frames = components().flatMap(({ frame }) => (frame?.isSite ? [frame] : []))
  return { components: frames, userAgent: headers['user-agent'] ?? '' }
}
