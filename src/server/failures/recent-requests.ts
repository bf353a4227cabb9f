import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { isSafe } from '../guards/csrf.ts'
import { type Redaction, redactionFor } from '../redaction/request-redaction.ts'

/** How long a promise that nothing awaits may take, such as one that sends a mail. */
const MAX_AGE_MS = 60_000
/** All bodies together. */
const MAX_BYTES = 4_194_304
/** The headers of a request, about. */
const REQUEST_BYTES = 4_096

/** Requests that may have started the work that fails outside of any request. */
export interface RecentRequests {
  /** Notes the requests to routes that change something, which are added after this call. */
  watch(app: FastifyInstance): void
  /** Returns a redaction that removes the secrets of all of them. */
  redaction(): Redaction
}

/** Creates an empty list. It forgets the oldest requests when their bodies are too large. */
export function createRecentRequests(now: () => number = Date.now): RecentRequests {
  const recent: { request: FastifyRequest; bytes: number; time: number }[] = []
  let bytes = 0

  function forgetOldest() {
    const oldest = now() - MAX_AGE_MS
    let count = 0
    for (const { bytes: size, time } of recent) {
      if (bytes <= MAX_BYTES && time >= oldest) break
      bytes -= size
      count++
    }
    recent.splice(0, count)
  }

  const note: onRequestHookHandler = (request, _reply, done) => {
    if (!isSafe(request.method)) {
      const { headers, routeOptions } = request
      // A body that comes in chunks may be as long as the limit.
      const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : routeOptions.bodyLimit
      const size = REQUEST_BYTES + (Number(length) || 0)
      recent.push({ request, bytes: size, time: now() })
      bytes += size
      forgetOldest()
    }
    done()
  }

  return {
    watch(app) {
      app.addHook('onRoute', (route) => {
        if ([route.method].flat().every(isSafe)) return
        route.onRequest = [...[route.onRequest ?? []].flat(), note]
      })
    },
    redaction() {
      forgetOldest()
      return redactionFor(...recent.map(({ request }) => request))
    },
  }
}
