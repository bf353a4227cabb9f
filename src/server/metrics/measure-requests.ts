import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { routeOf } from '../http/route-config.ts'
import { type MetricsRecorder, NO_METRICS } from './metrics-recorder.ts'

const RECORDER = Symbol('recorder')

interface MeasuredRequest extends FastifyRequest {
  /** Null after the request is over. */
  [RECORDER]?: MetricsRecorder | null
}

type Outcome = 'answered' | 'aborted' | 'errored'

/**
 * Records the requests to an instance's routes by two hooks, for a site in an app that writes its own log.
 *
 * @param current Returns the recorder. Nothing is recorded while it is `NO_METRICS`.
 */
export function measureRequests(app: FastifyInstance, current: () => MetricsRecorder) {
  app.addHook('onRequest', (request, reply, done) => {
    const metrics = current()
    if (metrics !== NO_METRICS) start(metrics, request, reply)
    done()
  })
  app.addHook('onResponse', (request: MeasuredRequest, reply, done) => {
    const metrics = current()
    // A hook of the app may have responded before the hook above ran.
    if (metrics !== NO_METRICS && request[RECORDER] === undefined) start(metrics, request, reply)
    end(request, reply, 'answered')
    done()
  })
}

function start(metrics: MetricsRecorder, request: MeasuredRequest, reply: FastifyReply) {
  request[RECORDER] = metrics
  metrics.requestStarted()
  const { raw } = reply
  // Fastify calls no hook when the visitor leaves.
  raw.once('close', () => end(request, reply, raw.writableFinished ? 'answered' : 'aborted'))
}

function end(request: MeasuredRequest, reply: FastifyReply, outcome: Outcome) {
  const metrics = request[RECORDER]
  if (!metrics) return
  request[RECORDER] = null
  recordOutcome(metrics, request, reply, outcome)
}

/**
 * Returns an observer that records the requests of a request log; null for `NO_METRICS`.
 *
 * perf: without metrics there is no observer, 0.13 µs less for each request, decision 017
 */
export function observerOf(metrics: MetricsRecorder) {
  if (metrics === NO_METRICS) return null
  return {
    requestStarted: metrics.requestStarted,
    requestEnded: (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) =>
      recordOutcome(metrics, request, reply, outcome),
  }
}

function recordOutcome(metrics: MetricsRecorder, request: FastifyRequest, reply: FastifyReply, outcome: Outcome) {
  metrics.requestEnded()
  const route = routeOf(request)
  if (outcome === 'aborted') metrics.requestAborted(route)
  else metrics.responseSent(route, request.method, reply.raw.statusCode, reply.elapsedTime)
}
