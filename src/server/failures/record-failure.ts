import type { FastifyRequest } from 'fastify'
import type { Side } from '../../shared/page-types.ts'
import type { FailureRecord, Phase } from '../errors/failure-record.ts'
import { type FindTrace, findTrace } from '../http/trace-context.ts'
import { userAgentClass } from '../http/user-agent.ts'
import type { AnalyzedError } from './error-analyzer.ts'
import { type FailureLine, writeFailure } from './failure-log.ts'

/** A failure in a request, examined. */
export interface FailureEvent {
  digest: string
  told: AnalyzedError
  side: Side
  phase: Phase
  route: string
  method: string
  /** Where the visitor sees the site. */
  host: string
  /** Without secrets. */
  url: string
  /** Without secrets: an app may take it from a header. */
  requestId: string
  release: string
  /** Null where it is not known. */
  build: string | null
  /** Undefined when nothing has gone out. */
  statusSent: number | undefined
  /** What the visitor gets in the end; null when it is not the server that failed. */
  status: number | null
  isRecovered: boolean
  /** What a deadline found unfinished. */
  pending: string[] | null
}

/** As long as a browser may tell one, too. */
const MAX_PATH = 2_000

/** Writes the line of a failure, and hands it over to be kept. */
export function recordFailure(
  telling: FailureEvent,
  request: FastifyRequest,
  keep: (failure: FailureRecord) => void,
  traceOf: FindTrace | null,
) {
  const { digest, told, side, phase, route, method, host, url, requestId, release, build, statusSent, status } = telling
  const { isRecovered, pending } = telling
  const trace = findTrace(request, traceOf)
  const line: FailureLine = { digest, side, phase, route, method, url, host, err: told.logged }
  if (statusSent !== undefined) line.statusSent = statusSent
  if (isRecovered) line.isRecovered = isRecovered
  if (pending) line.pending = pending
  if (trace) Object.assign(line, trace)
  writeFailure(line, request)
  const record: FailureRecord = {
    digest,
    fingerprint: told.fingerprint,
    side,
    time: Date.now(),
    phase,
    message: told.kept.message,
    error: told.kept,
    route,
    method,
    path: url.replace(/[?#].*$/s, '').slice(0, MAX_PATH),
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
  keep(record)
}
