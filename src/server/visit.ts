import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Frame } from './digest.ts'
import type { Failure, Failures, Phase } from './failures.ts'
import { type PublicAddress, publicAddress } from './host.ts'

interface FailureDetails {
  phase: Phase
  statusSent?: number
  pending?: readonly string[]
  place?: Frame
  componentStack?: string
}

/** One request for a page, from its first load to its last byte. */
export interface Visit {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The site's route: `/products/[id]`. */
  readonly route: string
  readonly address: PublicAddress
  /** Aborts when the visitor is gone or a deadline has passed. */
  readonly signal: AbortSignal
  /** The first failure, whose digest is what every fallback of this request shows. */
  readonly firstFailure: Failure | null
  /** How many different failures there have been. */
  readonly failureCount: number
  /** Has the visitor gone before the answer was complete? */
  readonly isGone: boolean
  /** Gives a failure its digest and writes its line. */
  fail(thrown: unknown, details: FailureDetails): Failure
  /** Gives a failure its digest; `fail` has to follow. */
  name(thrown: unknown, details: FailureDetails): Failure
  /** Logs what is no failure, at info. */
  note(details: object, message: string): void
  /** Tells loads and render to stop. */
  abort(reason: unknown): void
  /** From now on the visitor's leaving aborts; `onLeave` replaces the one before. */
  watchLeaving(onLeave?: () => void): void
}

export function createVisit(request: FastifyRequest, reply: FastifyReply, route: string, failures: Failures): Visit {
  let controller: AbortController | null = null
  let address: PublicAddress | null = null
  const digests = new Set<string>()
  let firstFailure: Failure | null = null
  let isGone = false
  let isWatching = false
  let onLeave: (() => void) | undefined

  function note(details: object, message: string) {
    request.log.info({ route, method: request.method, url: failures.redact(request.originalUrl, request), ...details }, message)
  }

  // The closing of the response, not of the request, says that the visitor has gone.
  function onClose() {
    if (reply.raw.writableFinished) return
    isGone = true
    note({}, 'the visitor left before the answer was complete')
    controller?.abort(new DOMException('The visitor is gone.', 'AbortError'))
    onLeave?.()
  }

  return {
    request,
    reply,
    route,
    get address() {
      address ??= publicAddress(request)
      return address
    },
    get signal() {
      controller ??= new AbortController()
      return controller.signal
    },
    get firstFailure() {
      return firstFailure
    },
    get failureCount() {
      return digests.size
    },
    get isGone() {
      return isGone
    },
    fail(thrown, details) {
      const failure = failures.fail(thrown, { request, route, ...details })
      firstFailure ??= failure
      digests.add(failure.digest)
      return failure
    },
    note,
    abort(reason) {
      controller?.abort(reason)
    },
    name: (thrown, details) => failures.name(thrown, { request, route, ...details }),
    watchLeaving(listener) {
      onLeave = listener
      if (isWatching) return
      isWatching = true
      reply.raw.once('close', onClose)
    },
  }
}
