import type { FastifyRequest } from 'fastify'
import type { Side } from '../../shared/wire/public-error.ts'
import {
  type DevelopmentDetails,
  type FailureRecord,
  lineOf,
  type Phase,
  type ProcessOrigin,
} from '../errors/failure-record.ts'
import { userAgentClass } from '../http/negotiate.ts'
import { pathOf } from '../http/request-url.ts'
import { findTrace } from '../http/trace-context.ts'
import type { FindTrace, TraceContext } from '../options/config.ts'
import type { Redaction } from '../redaction/request-redaction.ts'
import type { AnalyzedError } from './error-analyzer.ts'
import { type LineTarget, writeFailure } from './failure-log.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

/** The code that failed. */
export interface FailedCode {
  /** `HYDRANT_RELEASE`, or the id of the build. */
  release: string
  /** The id of the build; null when it is unknown. */
  build: string | null
}

/** The request that a failure belongs to. */
export interface FailedRequest {
  raw: FastifyRequest
  redaction: Redaction
  route: string
  method: string
  /** Not redacted. */
  url: string
  /** The host as the visitor sees it. */
  host: string
}

/** A failure that has its digest and is ready to be recorded. */
export interface FailureEvent {
  digest: string
  error: AnalyzedError
  side: Side
  phase: Phase
  /** Null outside of any request. */
  request: FailedRequest | null
  /** The code of the page (that of the server). */
  code?: FailedCode
  /** The status that was sent before the failure (none). */
  statusSent?: number | undefined
  /** The status of the response; null for a failure in a browser, and if the client left before (null). */
  status?: number | null
  /** Default: false. */
  isRecovered?: boolean
  /** The work that was unfinished when a deadline passed; null for any other failure (null). */
  pending?: string[] | null
  /** The trace of the step that failed; null to find that of the request (null). */
  trace?: TraceContext | null
  /** Returns the components around the place, innermost first (none). */
  components?(): readonly MappedFrame[]
}

/**
 * Logs a failure and keeps it.
 *
 * @param level `fatal` if the process ends after it (`error`).
 */
export type RecordFailure = (event: FailureEvent, target: LineTarget, level?: 'error' | 'fatal') => void

/** The code of the server, and what the records of its failures need. */
export interface RecordSettings extends FailedCode {
  /** Takes the record of each failure after its line is written. */
  keep(failure: FailureRecord): void
  /** The process in which the failures occur (unknown). */
  origin?: ProcessOrigin
  /** Finds the trace that a failure belongs to; null to read the `traceparent` header (null). */
  traceOf?: FindTrace | null
  /** Whether records have details for `hydrant dev` (false). React writes a stack of components at half the cost of a page. */
  hasDetails?: boolean
}

/** Writes the log line of a failure, then passes its record to `keep`. */
export function recordFailure(
  event: FailureEvent,
  target: LineTarget,
  level: 'error' | 'fatal',
  settings: RecordSettings,
) {
  const { error, request, statusSent } = event
  const url = request?.redaction.inPlace(request.url)
  const record = createRecord(event, url, settings)
  writeFailure(lineOf(record, { url, err: error.logged, statusSent }), target, level)
  settings.keep(record)
}

/** The fields that a record has only if they are known. */
type Optional<Of> = { [Name in keyof Of as Of extends Record<Name, unknown> ? never : Name]-?: Of[Name] | undefined }

/** A report of a browser may have a path of the same length. */
const MAX_PATH = 2_000
const MAX_REQUEST_ID = 200

/** @param url The redacted URL of the request. */
function createRecord(event: FailureEvent, url: string | undefined, settings: RecordSettings): FailureRecord {
  const { digest, error, side, phase, request, statusSent, status = null, isRecovered = false } = event
  const { release, build } = event.code ?? settings
  const trace = request && (event.trace ?? findTrace(request.raw, settings.traceOf ?? null))
  const record: FailureRecord = {
    digest,
    fingerprint: error.fingerprint,
    side,
    time: Date.now(),
    phase,
    message: error.kept.message,
    error: error.kept,
    route: request?.route ?? null,
    method: request?.method ?? null,
    path: url === undefined ? null : pathOf(url).slice(0, MAX_PATH),
    host: request?.host ?? null,
    // An app may take it from a header.
    requestId: request?.redaction.inPlace(String(request.raw.id), { maxLength: MAX_REQUEST_ID }) ?? null,
    release,
    userAgent: request && userAgentClass(request.raw.headers['user-agent']),
    statusSent: statusSent ?? status,
    isRecovered,
  }
  const optional: Optional<FailureRecord> = {
    build: build ?? undefined,
    replica: settings.origin?.replica,
    worker: settings.origin?.worker,
    pid: settings.origin?.pid,
    pending: event.pending ?? undefined,
    traceId: trace?.traceId,
    spanId: trace?.spanId,
    details: settings.hasDetails && request ? detailsOf(event, request) : undefined,
  }
  addKnown(record, optional)
  return record
}

function addKnown<Of extends object>(to: Of, fields: { [Name in keyof Of]?: Of[Name] | undefined }) {
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) to[name] = value
  }
}

function detailsOf({ components }: FailureEvent, { raw }: FailedRequest): DevelopmentDetails {
  const frames = (components?.() ?? []).flatMap(({ frame }) => (frame?.isSite ? [frame] : []))
  return { components: frames, userAgent: raw.headers['user-agent'] ?? '' }
}
