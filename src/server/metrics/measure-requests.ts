import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { routeOf } from '../http/route-config.ts'
import type { MetricsRecorder } from './metrics-recorder.ts'

const MEASURES = Symbol('measures')

interface Watched extends FastifyRequest {
  /** Null when the request is over. */
  [MEASURES]?: MetricsRecorder | null
}

/**
 * Measures the requests that come to an instance's routes, where the instance is in an app whose log is its own. Null from
 * `current` measures nothing.
 */
export function measureRequests(app: FastifyInstance, current: () => MetricsRecorder | null) {
  app.addHook('onRequest', (request, reply, done) => {
    const measures = current()
    if (measures !== null) begin(measures, request, reply)
    done()
  })
  app.addHook('onResponse', (request: Watched, reply, done) => {
    const measures = current()
    // A hook of the app may have answered before the one above.
    if (measures !== null && request[MEASURES] === undefined) begin(measures, request, reply)
    end(request, reply, 'answered')
    done()
  })
}

function begin(measures: MetricsRecorder, request: Watched, reply: FastifyReply) {
  request[MEASURES] = measures
  measures.began()
  const { raw } = reply
  // Fastify calls no hook for visitors who leave.
  raw.once('close', () => end(request, reply, raw.writableFinished ? 'answered' : 'aborted'))
}

function end(request: Watched, reply: FastifyReply, kind: 'answered' | 'aborted') {
  const measures = request[MEASURES]
  if (!measures) return
  request[MEASURES] = null
  tellOutcome(measures, request, reply, kind)
}

/** Measures the requests that a log observes. */
export function observerOf(measures: MetricsRecorder | null) {
  if (measures === null) return null
  return {
    began: () => measures.began(),
    ended: (request: FastifyRequest, reply: FastifyReply, kind: 'answered' | 'aborted' | 'errored') =>
      tellOutcome(measures, request, reply, kind),
  }
}

function tellOutcome(
  measures: MetricsRecorder,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: 'answered' | 'aborted' | 'errored',
) {
  measures.ended()
  const route = routeOf(request)
  if (kind === 'aborted') measures.aborted(route)
  else measures.answered(route, request.method, reply.raw.statusCode, reply.elapsedTime)
}
