import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { FindTrace } from '../http/trace-context.ts'
import { type MetricsRecorder, NO_METRICS } from '../metrics/metrics-recorder.ts'
import { type BrowserFailure, createBrowserFailures } from './browser-failures.ts'
import { createErrorAnalyzer } from './error-analyzer.ts'
import type { Failure } from './failure-context.ts'
import { failureStatusOf } from './failure-status.ts'
import { recordProcessFailure } from './process-failure.ts'
import { createRecentRequests } from './recent-requests.ts'
import { type RecordFailure, recordFailure } from './record-failure.ts'
import { failuresOf, type RequestFailures } from './request-failures.ts'
import { processFrames, type RouteFiles } from './stacks/place-frames.ts'
import type { ServerMapper } from './stacks/source-map.ts'

/** The failures of a site. Each gets a digest, one log line, and an occurrence in the ledger. */
export interface Failures {
  /** Milliseconds that a response waits for `onError` hooks. */
  maxHooksMs: number
  /** Returns the failures of one request. */
  of(request: FastifyRequest): RequestFailures
  /** Records a failure that a browser reported with this request. Never throws. */
  failInBrowser(failure: BrowserFailure, request: FastifyRequest): void
  /**
   * Records an exception outside of any request. Never throws.
   *
   * @param level `fatal` if the process ends after it, because nothing caught it (`fatal`).
   */
  failProcess(thrown: unknown, log: FastifyBaseLogger, level?: 'error' | 'fatal'): Failure
  /** Notes the requests to routes that are added after this call: `failProcess` removes their secrets. */
  watchRequests(app: FastifyInstance): void
}

export interface FailuresInput {
  mapper: ServerMapper
  files: RouteFiles
  /** `HYDRANT_RELEASE`, or the id of the build. */
  release: string
  /** The id of the build; null when the build could not be read. */
  build: string | null
  /** The option `digestKey`; empty for none. */
  digestKey: string
  /** Records the metrics (`NO_METRICS`). */
  metrics?: Pick<MetricsRecorder, 'deadlinePassed'>
  /** Takes each failure after its line is written. */
  keep(failure: FailureRecord): void
  /** Milliseconds that a response waits for `onError` hooks (10 000). */
  maxHooksMs?: number
  /** Finds the trace that a failure belongs to; null to read the `traceparent` header (null). */
  traceOf?: FindTrace | null
  /** Whether records have details for `hydrant dev` (false). */
  hasDetails?: boolean
}

/** Creates the failures of a site, or of a process that could not start a site. */
export function createFailures({
  mapper,
  files,
  release,
  build,
  digestKey,
  metrics = NO_METRICS,
  keep,
  maxHooksMs = 10_000,
  traceOf = null,
  hasDetails = false,
}: FailuresInput): Failures {
  const analyzer = createErrorAnalyzer({ mapper, side: 'server', key: digestKey })
  const record: RecordFailure = (event, request) => recordFailure(event, request, { keep, traceOf, hasDetails })
  const tools = { mapper, files, analyzer, release, build, metrics, record }
  const recordBrowserFailure = createBrowserFailures(digestKey, record)
  const recent = createRecentRequests()
  const of = (request: FastifyRequest) => failuresOf(request, tools)

  return {
    maxHooksMs,
    of,
    failInBrowser: (failure, request) => recordBrowserFailure(failure, request, of(request)),
    failProcess(thrown, log, level = 'fatal') {
      const placeFrames = () => processFrames(mapper, files)
      const redaction = recent.redaction()
      const settings = { analyzer, placeFrames, release, build, log, level, keep, redaction }
      const digest = recordProcessFailure(thrown, settings)
      return { digest, status: failureStatusOf(thrown) }
    },
    watchRequests: recent.watch,
  }
}
