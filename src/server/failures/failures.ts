import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { formatDigest } from '../../shared/wire/digest-format.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import { isSafe } from '../guards/csrf.ts'
import { publicAddress } from '../http/request-url.ts'
import { createThrottledLine } from '../log/throttled-line.ts'
import { type MetricsRecorder, NO_METRICS } from '../metrics/metrics-recorder.ts'
import { type Redaction, redactionFor } from '../redaction/request-redaction.ts'
import type { Description } from './describe-thrown.ts'
import { createErrorAnalyzer, type ErrorAnalyzer, type PlaceFrames } from './error-analyzer.ts'
import type { Failure } from './failure-context.ts'
import { warnOfThrown } from './option-errors.ts'
import { type FailedCode, type RecordFailure, type RecordSettings, recordFailure } from './record-failure.ts'
import { createOccurrence, failureStatusOf, failuresOf, type RequestFailures } from './request-failures.ts'
import { processFrames, type RouteFiles } from './stacks/place-frames.ts'
import type { ServerMapper, SourceMapper } from './stacks/source-map.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

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
  /** Remembers the requests to routes that are added after this call: `failProcess` removes their secrets. */
  watchRequests(app: FastifyInstance): void
}

export interface FailuresInput extends RecordSettings {
  mapper: ServerMapper
  files: RouteFiles
  /** The option `digestKey`; empty for none. */
  digestKey: string
  /** Records the metrics (`NO_METRICS`). */
  metrics?: Pick<MetricsRecorder, 'deadlinePassed'>
  /** Milliseconds that a response waits for `onError` hooks (10 000). */
  maxHooksMs?: number
}

/** Creates the failures of a site, or of a process that could not start a site. */
export function createFailures(input: FailuresInput): Failures {
  const { mapper, files, digestKey, metrics = NO_METRICS, maxHooksMs = 10_000 } = input
  const analyzer = createErrorAnalyzer({ mapper, side: 'server', key: digestKey })
  const record: RecordFailure = (event, target, level = 'error') => recordFailure(event, target, level, input)
  const tools = { mapper, files, analyzer, metrics, record }
  const recordBrowserFailure = createBrowserFailures(digestKey, record)
  const recent = createRecentRequests()
  const of = (request: FastifyRequest) => failuresOf(request, tools)

  return {
    maxHooksMs,
    of,
    failInBrowser: (failure, request) => recordBrowserFailure(failure, request, of(request)),
    failProcess(thrown, log, level = 'fatal') {
      const place = () => processFrames(mapper, files)
      const error = analyzer.analyzeThrown(thrown, recent.redaction(), place)
      const digest = formatDigest(error.fingerprint, createOccurrence())
      record({ digest, error, side: 'server', phase: 'process', request: null }, { log }, level)
      return { digest, status: failureStatusOf(thrown) }
    },
    watchRequests: recent.watch,
  }
}

/** A failure that a browser has reported. */
interface BrowserFailure extends FailedCode {
  description: Description
  /** Maps the frames to the source. */
  mapper: SourceMapper
  route: string
  /** Path of the page, without a query. */
  path: string
  placeFrames: PlaceFrames
  /** Returns the components around the place, innermost first. */
  components(): readonly MappedFrame[]
  isRecovered: boolean
}

/**
 * Returns the function that records a failure under the request that reported it. Never throws.
 *
 * @param key The option `digestKey`; empty for none.
 */
function createBrowserFailures(key: string, record: RecordFailure) {
  /** One analyzer for each mapper: its cache of analyzed errors is valid as long as the mapper is. */
  const analyzers = new WeakMap<SourceMapper, ErrorAnalyzer>()

  function analyzerOf(mapper: SourceMapper): ErrorAnalyzer {
    const analyzer = analyzers.get(mapper) ?? createErrorAnalyzer({ mapper, side: 'client', key })
    analyzers.set(mapper, analyzer)
    return analyzer
  }

  return (failure: BrowserFailure, request: FastifyRequest, { redaction, occurrence }: RequestFailures) => {
    const { description, mapper, route, path, placeFrames, components, isRecovered } = failure
    const error = analyzerOf(mapper).analyzeDescription(description, redaction, placeFrames)
    record(
      {
        digest: formatDigest(error.fingerprint, occurrence),
        error,
        side: 'client',
        phase: 'client',
        request: { raw: request, redaction, route, method: 'GET', url: path, host: publicAddress(request).host },
        code: failure,
        isRecovered,
        components,
      },
      request,
    )
  }
}

/** How long a promise that nothing awaits may take, such as one that sends a mail. */
const MAX_AGE_MS = 60_000
/** All bodies together. */
const MAX_BYTES = 4_194_304
/** The headers of a request, about. */
const REQUEST_BYTES = 4_096

/** Requests that may have started the work that fails outside of any request. */
export interface RecentRequests {
  /** Remembers the requests to routes that change something, which are added after this call. */
  watch(app: FastifyInstance): void
  /** Returns a redaction that removes the secrets of all of them. */
  redaction(): Redaction
}

/** Creates an empty list. It forgets requests that are too old, and the oldest ones when their bodies are too large. */
export function createRecentRequests(now: () => number = Date.now): RecentRequests {
  const recent: { request: FastifyRequest; bytes: number; time: number }[] = []
  let bytes = 0
  let isWaiting = false

  function forgetOldest() {
    const oldest = now() - MAX_AGE_MS
    let count = 0
    for (const { bytes: size, time } of recent) {
      if (bytes <= MAX_BYTES && time > oldest) break
      bytes -= size
      count++
    }
    recent.splice(0, count)
  }

  /** Without further requests, a server keeps none of the bodies. */
  function forgetLater() {
    const [first] = recent
    if (isWaiting || !first) return
    isWaiting = true
    setTimeout(forget, first.time + MAX_AGE_MS - now()).unref()
  }

  function forget() {
    isWaiting = false
    forgetOldest()
    forgetLater()
  }

  const remember: onRequestHookHandler = (request, _reply, done) => {
    if (!isSafe(request.method)) {
      const { headers, routeOptions } = request
      // A body that comes in chunks may be as long as the limit.
      const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : routeOptions.bodyLimit
      const size = REQUEST_BYTES + (Number(length) || 0)
      recent.push({ request, bytes: size, time: now() })
      bytes += size
      forgetOldest()
      forgetLater()
    }
    done()
  }

  return {
    watch(app) {
      app.addHook('onRoute', (route) => {
        if ([route.method].flat().every(isSafe)) return
        route.onRequest = [...[route.onRequest ?? []].flat(), remember]
      })
    },
    redaction() {
      forgetOldest()
      return redactionFor(...recent.map(({ request }) => request))
    },
  }
}

/** Milliseconds that a server which stops waits for `onFailure`. */
const SETTLE_MS = 2_000

/** Passes failures to the site's `onFailure`, outside of the requests that they happen in. */
export interface FailureListener {
  /** Calls `onFailure` later. Never throws and never waits. */
  notify(failure: FailureRecord): void
  /** Resolves when all calls have ended, after two seconds at the latest. */
  settle(): Promise<void>
}

/** Creates a listener. What `onFailure` throws is logged, once a minute at most, and changes nothing else. */
export function createFailureListener(
  onFailure: (failure: FailureRecord) => unknown,
  log: FastifyBaseLogger,
): FailureListener {
  const running = new Set<Promise<void>>()
  let last: { error: unknown; digest: string } | null = null
  const warning = createThrottledLine(() => {
    if (!last) return
    // It comes after requests, and of them it knows only what a failure says.
    const { error, digest } = last
    warnOfThrown(error, redactionFor(), log, ({ type, message }) => `onFailure threw: ${type}: ${message}`, { digest })
  })

  async function run(failure: FailureRecord) {
    // The visitor's response comes first.
    await new Promise(setImmediate)
    try {
      // A copy: the ledger keeps the original.
      await onFailure(structuredClone(failure))
    } catch (error) {
      last = { error, digest: failure.digest }
      warning.count()
    }
  }

  async function settleAll() {
    while (running.size > 0) await Promise.all(running)
  }

  return {
    notify(failure) {
      const call = run(failure).finally(() => running.delete(call))
      running.add(call)
    },
    async settle() {
      const isOver = new AbortController()
      await Promise.race([settleAll(), wait(SETTLE_MS, undefined, { signal: isOver.signal })])
      isOver.abort()
      warning.stop()
    },
  }
}
