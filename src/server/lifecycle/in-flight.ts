import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { currentResponse } from '../http/node-response.ts'
import { replyOf } from '../http/request-log.ts'
import { pathOf } from '../http/request-url.ts'
import { routeOf } from '../http/route-config.ts'
import { countOf } from '../log/throttled-line.ts'
import { createRedactor } from '../redaction/redact.ts'

const MAX_NAMED = 10
const MAX_PATH = 200

/** Says why a server has not stopped: names the requests in flight, the oldest first, without those in a queue. */
export function describeDelay(sockets: readonly Socket[], maxMs: number): string {
  const replies = sockets.map(currentReply).filter((reply) => reply !== null)
  if (replies.length === 0)
    return `the server did not stop within ${maxMs} ms, although no request is in flight (${countOf(sockets.length, 'open connection')})`
  replies.sort((a, b) => b.elapsedTime - a.elapsedTime)
  const named = replies.slice(0, MAX_NAMED).map(describe).join(', ')
  const more = replies.length > MAX_NAMED ? ` and ${replies.length - MAX_NAMED} more` : ''
  return `requests in flight were not finished within ${maxMs} ms: ${named}${more}`
}

/** The numbers of requests in flight, by their routes. */
export type InFlight = ReadonlyMap<string, number>

/** Counts the requests in flight on some connections. */
export function countInFlight(sockets: readonly Socket[]): InFlight {
  const counts = new Map<string, number>()
  for (const socket of sockets) {
    const reply = currentReply(socket)
    if (reply === null) continue
    const route = routeOf(reply.request)
    counts.set(route, (counts.get(route) ?? 0) + 1)
  }
  return counts
}

function currentReply(socket: Socket): FastifyReply | null {
  const response = currentResponse(socket)
  return response && replyOf(response)
}

function describe({ request, elapsedTime }: FastifyReply): string {
  const { method, headers, originalUrl } = request
  const path = createRedactor(headers)(pathOf(originalUrl), { maxLength: MAX_PATH })
  return `${method} ${path} for ${Math.round(elapsedTime)} ms`
}

/** Milliseconds after which work that has waited for a first response begins without one. */
const MAX_WAIT_MS = 1_000

/** Resolves after a server's first response, or a second: what a process does once must not delay it. */
export function firstResponse(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS)
    server.once('request', (_request, response) => {
      response.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  })
}
