import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseDigest } from '../../shared/wire/digest-format.ts'
import { JSON_TYPE } from '../http/headers.ts'
import { sendProblem } from '../http/problem.ts'
import { failureJson, summaryJson } from '../ledger/failure-json.ts'
import type { AdminLedger } from '../ledger/ledger.ts'
import { escapeControlCharacters } from '../log/control-characters.ts'
import { findFailure } from './find-failure.ts'
import type { LedgerChanges } from './ledger-changes.ts'
import { readPage } from './list-page.ts'
import { readListQuery } from './list-query.ts'
import { LEDGER_UNAVAILABLE } from './try-ledger.ts'

const DEFAULT_LIMIT = 100

type ById = FastifyRequest<{ Params: { id: string } }>

/** Adds the JSON API that docs/console.md describes. It needs a Fastify scope of its own. */
export function addApi(
  app: FastifyInstance,
  ledger: AdminLedger,
  changes: LedgerChanges,
  currentRelease: () => string,
) {
  acceptAnyBody(app)
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500, message } = error
    if (statusCode < 500) return sendProblem(statusCode, message, reply)
    request.log.error({ err: error }, `the API of the console failed: ${message}`)
    return sendProblem(503, LEDGER_UNAVAILABLE, reply)
  })
  addEvents(app, changes)

  app.get('/api/failures', async (request, reply) => {
    const { query, problem } = readListQuery(searchOf(request), Date.now(), currentRelease())
    if (problem !== null) return sendProblem(400, problem, reply)
    const { failures, next } = await readPage(ledger, query, query.limit ?? DEFAULT_LIMIT)
    return sendJson({ failures: failures.map(summaryJson), next }, reply)
  })

  app.get('/api/failures/:id', async (request: ById, reply) => {
    const found = await findFailure(ledger, request.params.id, limitOf(request))
    if (found.kind === 'found') return sendJson(failureJson(found.failure), reply)
    return sendUnknown(found.nearest, reply)
  })

  for (const [word, solvedAt] of [
    ['solve', () => Date.now()],
    ['reopen', () => null],
  ] as const) {
    app.post(`/api/failures/:id/${word}`, async (request: ById, reply) => {
      const fingerprint = parseDigest(request.params.id)?.fingerprint
      const isKnown = fingerprint !== undefined && (await ledger.setSolved(fingerprint, solvedAt()))
      const found = await findFailure(ledger, request.params.id)
      if (!isKnown || found.kind === 'unknown') {
        return sendUnknown(found.kind === 'unknown' ? found.nearest : [], reply)
      }
      changes.check()
      return sendJson(failureJson(found.failure), reply)
    })
  }
}

// The API ignores bodies. Clients send an empty one with different content types.
function acceptAnyBody(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
}

function searchOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '')
}

function limitOf(request: FastifyRequest): number | undefined {
  return readListQuery(new URLSearchParams({ limit: searchOf(request).get('limit') ?? '' }), 0, '').query?.limit
}

/** Sends JSON without a character that a terminal obeys. */
export function sendJson(value: unknown, reply: FastifyReply) {
  return reply.type(JSON_TYPE).send(escapeControlCharacters(JSON.stringify(value)))
}

function sendUnknown(nearest: readonly string[], reply: FastifyReply) {
  return sendProblem(404, 'The ledger has no such failure.', reply, { nearest })
}

const MAX_LISTENERS = 50
/** Proxies close a connection that is idle for a minute. */
const HEARTBEAT_MS = 20_000
const RETRY_MS = 3_000

/** Adds `GET /api/events`: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
function addEvents(app: FastifyInstance, changes: LedgerChanges) {
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
