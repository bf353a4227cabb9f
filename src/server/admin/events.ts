import type { FastifyInstance } from 'fastify'
import { sendProblem } from '../http/problem.ts'
import type { LedgerChanges } from './ledger-changes.ts'

const MAX_LISTENERS = 50
/** Proxies close a connection that is idle for a minute. */
const HEARTBEAT_MS = 20_000
const RETRY_MS = 3_000

/** Adds `GET /api/events`: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function addEvents(app: FastifyInstance, changes: LedgerChanges) {
  const open = new Set<() => void>()
  app.addHook('preClose', (done) => {
    for (const end of open) end()
    done()
  })
  app.get('/api/events', (_request, reply) => {
    if (open.size >= MAX_LISTENERS) {
      return sendProblem(503, `${MAX_LISTENERS} event streams are open already, which is the limit.`, reply)
    }
    const { raw } = reply
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
    raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
    raw.write(`retry: ${RETRY_MS}\n\n`)
    const stop = changes.listen(() => raw.write('event: changed\ndata:\n\n'))
    const heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_MS).unref()
    const end = () => {
      clearInterval(heartbeat)
      stop()
      open.delete(end)
      raw.end()
    }
    open.add(end)
    raw.once('close', end)
    return reply
  })
}
