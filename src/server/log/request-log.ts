import type { ServerResponse } from 'node:http'
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { bodyBytesOf } from '../http/counted-response.ts'
import { publicAddress } from '../http/public-address.ts'
import { routeOf } from '../http/route-config.ts'
import { traceOf } from '../http/trace-context.ts'
import { createRedactor } from '../redaction/redact.ts'
import type { LateErrors } from './late-errors.ts'

/** How a request ended. */
type Outcome = { kind: 'answered' } | { kind: 'aborted' } | { kind: 'errored'; error: Error }

/** Is notified of the start and end of each request. */
export interface RequestObserver {
  requestStarted(): void
  requestEnded(request: FastifyRequest, reply: FastifyReply, kind: Outcome['kind']): void
}

const IS_OVER = Symbol('isOver')
const REPLY = Symbol('reply')

interface LoggedRequest extends FastifyRequest {
  [IS_OVER]?: true
}

interface LoggedResponse extends ServerResponse {
  [REPLY]?: FastifyReply | null
}

/** Returns the reply of a response that is not complete; null for any other response. */
export function replyOf(response: LoggedResponse): FastifyReply | null {
  return response[REPLY] ?? null
}

/**
 * Writes one log line for a request when it is over, and notifies the observer.
 *
 * perf: Fastify calls a log controller in any case, 0.14 µs less than a hook for each request, commit 7b7c185a
 */
export class RequestLog extends LogController {
  #observer: RequestObserver | null
  #lateErrors: LateErrors
  #digestOf: (request: FastifyRequest) => string | undefined

  /** @param digestOf Returns the digest of a request's first failure, or undefined. */
  constructor(
    isDisabled: boolean,
    observer: RequestObserver | null,
    lateErrors: LateErrors,
    digestOf: (request: FastifyRequest) => string | undefined,
  ) {
    super({ disableRequestLogging: isDisabled })
    this.#observer = observer
    this.#lateErrors = lateErrors
    this.#digestOf = digestOf
  }

  override incomingRequest(request: FastifyRequest, reply: FastifyReply) {
    setReply(reply.raw, reply)
    if (this.#observer === null && this.isLogDisabled(request)) return
    this.#observer?.requestStarted()
    const { raw } = reply
    // Fastify calls nothing when the visitor leaves.
    raw.on('close', () => this.#end(request, reply, { kind: raw.writableFinished ? 'answered' : 'aborted' }))
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    // An open connection keeps its last response, but not what the reply refers to.
    setReply(reply.raw, null)
    const isLogged = !error || this.#lateErrors.failRoute(error, reply)
    this.#end(request, reply, isLogged ? { kind: 'answered' } : { kind: 'errored', error })
  }

  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply) {
    if (!this.#lateErrors.failStream(error, reply)) super.streamError(error, request, reply)
  }

  #end(request: LoggedRequest, reply: FastifyReply, outcome: Outcome) {
    if (request[IS_OVER]) return
    request[IS_OVER] = true
    this.#observer?.requestEnded(request, reply, outcome.kind)
    if (!this.isLogDisabled(request)) writeLine(request, reply, outcome, this.#digestOf(request))
  }
}

function setReply(response: LoggedResponse, reply: FastifyReply | null) {
  response[REPLY] = reply
}

function writeLine(request: FastifyRequest, reply: FastifyReply, outcome: Outcome, digest: string | undefined) {
  const { method } = request
  const line = {
    method,
    url: createRedactor(request.headers)(request.originalUrl),
    route: routeOf(request),
    host: publicAddress(request).host,
    // Nothing was sent when the visitor left early.
    statusCode: reply.raw.headersSent ? reply.raw.statusCode : undefined,
    responseTimeMs: reply.elapsedTime,
    bytes: bodyBytesOf(reply.raw, method),
    digest,
    traceId: traceOf(request.headers.traceparent)?.traceId,
  }
  switch (outcome.kind) {
    case 'answered':
      return reply.log.info(line, 'request completed')
    case 'aborted':
      return reply.log.info(line, 'request aborted')
    case 'errored':
      return reply.log.error({ ...line, err: outcome.error }, 'request errored')
  }
}
