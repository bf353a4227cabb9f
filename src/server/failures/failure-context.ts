import type { FastifyInstance, FastifyReply } from 'fastify'
import { classifyThrown, ownFailureStatus, type ThrownKind } from '../errors/classify-thrown.ts'
import type { Phase } from '../errors/failure-record.ts'
import { findExportPlace } from '../errors/hydrant-error.ts'
import type { PublicAddress } from '../http/request-url.ts'
import type { SourceFunction } from './fingerprint.ts'

/** The page or route that a request with a failure was for. */
export interface FailureSubject {
  /** The site's route, as its developer writes it: `/products/[id]`. */
  route: string
  address: PublicAddress
}

/** React's stack of the components around a place. React writes it when it is read, at half the cost of a page. */
export interface Components {
  readonly componentStack?: string | null | undefined
}

/** Details that the code which catches a failure knows. */
export interface FailureContext {
  phase: Phase
  /** The status of the response to it (504 when a deadline passed, else 500). */
  status?: number
  /** The status that was sent already, for a failure within a stream. */
  statusSent?: number
  /** The loads and promises that were unfinished when a deadline passed. */
  pending?: readonly string[]
  /** React's stacks of the components that were unfinished when a deadline passed. */
  pendingComponents?: readonly string[]
  /** The function of the site that failed, for a thrown value without a stack. */
  place?: SourceFunction
  components?: Components
  /** The response did not wait for it: the client has left, or a deadline has passed. */
  isLate?: boolean
  /** It is a failure of a render in the background: the visitor has got a stored response. */
  isInBackground?: boolean
}

/** A failure as the response shows it. */
export interface Failure {
  digest: string
  /** 504 when a deadline passed, else 500, or that of the error of a route. */
  status: number
}

/** A thrown value with its classification, which is made once: where the value is caught. */
export type CaughtError = ThrownKind & {
  thrown: unknown
  phase: Phase
  /**
   * The function that threw, for a value without a stack, or the export with a wrong value; null when it is not known.
   */
  origin: SourceFunction | null
  /** The status of a failure of a route, unless it is 500. */
  failureStatus?: number
}

/**
 * Classifies a thrown value. To be called where the value is caught.
 *
 * @param given As for `classifyThrown`.
 */
export function catchError(
  thrown: unknown,
  phase: Phase,
  origin: SourceFunction | null = null,
  given: number | null = null,
): CaughtError {
  const wrong = findExportPlace(thrown)
  const place = wrong ? { file: wrong.file, function: wrong.name } : origin
  return Object.assign(classifyThrown(thrown, given), { thrown, phase, origin: place })
}

/** Classifies what a route, a hook or an error handler of `server.ts` has thrown or sent as the response. */
export function catchInRoute(thrown: unknown, reply: FastifyReply): CaughtError {
  const status = givenStatusOf(reply)
  // If something traces the requests of the app, Fastify itself has set the status to that of the error.
  const isOfError = status === readProperty(thrown, 'statusCode') || status === readProperty(thrown, 'status')
  const given = isOfError ? null : status
  const caught = catchError(thrown, 'route', null, given)
  const failureStatus = caught.kind === 'failure' ? ownFailureStatus(thrown, given) : null
  return failureStatus === null ? caught : { ...caught, failureStatus }
}

const MAX_CAUSES = 10

/** Returns whether a test holds for a thrown value or for one of its causes. */
export function someCause(thrown: unknown, test: (value: unknown) => boolean): boolean {
  let value = thrown
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    if (test(value)) return true
    value = readProperty(value, 'cause')
    if (value === undefined) return false
  }
  return false
}

/** Returns whether a thrown value is the reason of an abort, an AbortError, or an error that one of them has caused. */
export function isCausedBy(reason: unknown, thrown: unknown): boolean {
  return someCause(thrown, (value) => value === reason || readProperty(value, 'name') === 'AbortError')
}

/** Reads a property of a thrown value. Returns undefined if a getter throws. */
export function readProperty(value: unknown, name: 'name' | 'code' | 'cause' | 'status' | 'statusCode'): unknown {
  try {
    return Reflect.get(Object(value), name)
  } catch {
    return undefined
  }
}

const SENDING = Symbol('sending')

interface SendingReply extends FastifyReply {
  [SENDING]?: true
}

/**
 * Notes which responses are being sent. Add it before the hooks of the site: the status of a response that they cannot
 * send is not meant for their errors.
 */
export function rememberSending(app: FastifyInstance) {
  app.addHook('onSend', (_request, reply: SendingReply, payload, done) => {
    reply[SENDING] = true
    done(null, payload)
  })
}

/** Returns the error status that a hook, a route or an error handler has set before it threw or sent an error, or null. */
function givenStatusOf(reply: SendingReply): number | null {
  const { statusCode } = reply
  return statusCode >= 400 && statusCode <= 599 && !reply[SENDING] ? statusCode : null
}
