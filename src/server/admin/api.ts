import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatDigest, parseDigest } from '../../shared/wire/digest-format.ts'
import { JSON_TYPE } from '../http/formats.ts'
import { sendProblem } from '../http/problem.ts'
import type { FailureDetails, FailureSummary } from '../ledger/entries.ts'
import { failureJson, placeNote, readFailure, summaryJson } from '../ledger/failure-json.ts'
import { type AdminLedger, formatPlace, type Ledger, type ListQuery, placeOfFailure } from '../ledger/ledger.ts'
import { readSlow, reportSlowRequest, slowReportJson, slowRequestJson } from '../ledger/slow-report.ts'
import type { TimesLedger } from '../ledger/times.ts'
import { escapeControlCharacters } from '../log/control-characters.ts'
import { closestMatches } from '../util/closest-match.ts'
import { messageOf } from '../util/unknown-values.ts'
import type { CacheReport } from './cache-report.ts'
import { readListQuery, readSlowQuery } from './list-query.ts'

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
  addSlowApi(app, ledger)

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

/** Adds the part of the JSON API that shows what makes pages slow. */
function addSlowApi(app: FastifyInstance, ledger: Pick<TimesLedger, 'times' | 'slowRequest'>) {
  app.get('/api/slow', async (request, reply) => {
    const { query, problem } = readSlowQuery(searchOf(request), Date.now())
    if (problem !== null) return sendProblem(400, problem, reply)
    return sendJson(slowReportJson(await readSlow(ledger, query)), reply)
  })

  app.get('/api/slow/:id', async (request: ById, reply) => {
    const found = await ledger.slowRequest(request.params.id)
    if (found) return sendJson(slowRequestJson(reportSlowRequest(found)), reply)
    return sendProblem(404, 'The ledger has no times of this request.', reply)
  })
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
function sendJson(value: unknown, reply: FastifyReply) {
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
    // The client may have left while the hooks of the app ran.
    if (raw.destroyed) return reply
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

/** The page cache, as the console and its API use it. */
export interface ConsoleCache {
  read(): Promise<CacheReport>
  /** Removes all pages. Resolves with false if a process has not confirmed it in time. */
  empty(): Promise<boolean>
}

/** The message for operators when a worker does not answer. */
const NOT_EMPTIED = 'A worker has not confirmed in time that its cache is empty. Try again in a moment.'

/** Adds the part of the JSON API that shows and empties the page cache. */
export function addCacheApi(app: FastifyInstance, cache: ConsoleCache) {
  app.get('/api/cache', async (_request, reply) => sendJson(await cache.read(), reply))
  app.post('/api/cache/empty', async (_request, reply) => {
    if (!(await cache.empty())) return sendProblem(503, NOT_EMPTIED, reply)
    return sendJson(await cache.read(), reply)
  })
}

export interface ListPage {
  failures: FailureSummary[]
  /** The value of `after` for the next page; null on the last page. */
  next: string | null
}

export async function readPage(ledger: Pick<Ledger, 'list'>, query: ListQuery, limit: number): Promise<ListPage> {
  // One more than the page has, to know whether there is a next page.
  const found = await ledger.list({ ...query, limit: limit + 1 })
  const failures = found.slice(0, limit)
  const last = failures.at(-1)
  const next = last && found.length > limit ? formatPlace(placeOfFailure(last, query.sort)) : null
  return { failures, next }
}

/** The result of a search for a digest or a fingerprint. */
export type FoundFailure =
  | {
      kind: 'found'
      failure: FailureDetails
      /** The complete digest; null if only a fingerprint was typed. */
      digest: string | null
      /** Whether the ledger has the occurrence of that digest. It is then the first one. */
      isKept: boolean
      /** See `placeNote`. */
      note: string | null
    }
  /** `nearest`: similar fingerprints that the ledger has. */
  | { kind: 'unknown'; nearest: string[] }

const MAX_NEAREST = 5

/** Finds the failure of a digest, or of a fingerprint, that a person typed. */
export async function findFailure(
  ledger: Pick<Ledger, 'read' | 'fingerprints'>,
  typed: string,
  limit?: number,
): Promise<FoundFailure> {
  const digest = parseDigest(typed)
  const query = { ...(limit === undefined ? {} : { limit }), ...(digest?.occurrence ? digest : {}) }
  const failure = digest && (await readFailure(ledger, digest.fingerprint, query))
  if (!failure) {
    const given = digest?.fingerprint ?? typed.trim().toUpperCase().slice(0, 20)
    return { kind: 'unknown', nearest: closestMatches(given, await ledger.fingerprints(), MAX_NEAREST) }
  }
  const whole = digest.occurrence ? formatDigest(digest.fingerprint, digest.occurrence) : null
  const isKept = failure.occurrences[0]?.digest === whole
  return { kind: 'found', failure, digest: whole, isKept, note: placeNote(failure) }
}

/** The message for operators while the ledger cannot be read or written. */
const LEDGER_UNAVAILABLE = 'The ledger cannot be read or written now; the log says why.'

/** The result of work on the ledger. */
export type LedgerResult<T> = { kind: 'done'; value: T } | { kind: 'unavailable'; problem: string }

/** Runs work on the ledger. Never rejects: an error is logged, and the result says that the ledger is unavailable. */
export async function tryLedger<T>(
  work: () => Promise<T>,
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<LedgerResult<T>> {
  try {
    return { kind: 'done', value: await work() }
  } catch (error) {
    log.error({ err: error }, `the console could not read or write the ledger: ${messageOf(error)}`)
    return { kind: 'unavailable', problem: LEDGER_UNAVAILABLE }
  }
}

/** Notices changes of the ledger by any process. It reads the ledger only while it has listeners. */
export type LedgerChanges = ReturnType<typeof createLedgerChanges>

const PAUSE_MS = 1_000
/** The state of a ledger that cannot be read. No list has it. */
const UNREADABLE = ''
/** New occurrences move a failure to the front. A reload of the page shows changes to older failures. */
const CHECKED_FAILURES = 50

export function createLedgerChanges(ledger: Pick<Ledger, 'list'>, pauseMs = PAUSE_MS) {
  /** Each with the function that says whether it is still needed. */
  const listeners = new Map<() => void, () => boolean>()
  let timer: NodeJS.Timeout | undefined
  let isChecking = false
  let last: string | null = null

  async function check() {
    clearTimeout(timer)
    if (isChecking) return
    isChecking = true
    try {
      const state = await readState(ledger)
      if (last !== null && state !== last) for (const listener of listeners.keys()) listener()
      last = state
    } catch {
      // Pages that say that the ledger is unavailable are notified when it is available again.
      last = UNREADABLE
    }
    isChecking = false
    schedule()
  }

  function schedule() {
    clearTimeout(timer)
    if (listeners.size > 0) timer = setTimeout(checkAgain, pauseMs).unref()
    // The next listener is a page that was just loaded, with all changes until then.
    else last = null
  }

  function checkAgain() {
    for (const [listener, isNeeded] of listeners) if (!isNeeded()) listeners.delete(listener)
    if (listeners.size > 0) void check()
    else last = null
  }

  return {
    /**
     * Calls `listener` after each change, until `isNeeded` returns false (never). Adding it again changes nothing. Returns a
     * function that removes it.
     */
    listen(listener: () => void, isNeeded = () => true): () => void {
      listeners.set(listener, isNeeded)
      if (listeners.size === 1 && last === null) void check()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) schedule()
      }
    },
    /** Reads the ledger now, because this process has changed it. */
    check: () => void (listeners.size > 0 && check()),
    close() {
      listeners.clear()
      clearTimeout(timer)
    },
  }
}

async function readState({ list }: Pick<Ledger, 'list'>): Promise<string> {
  const failures = await list({ limit: CHECKED_FAILURES })
  return JSON.stringify(
    failures.map(({ fingerprint, count, lastSeen, solvedAt }) => [fingerprint, count, lastSeen, solvedAt]),
  )
}
