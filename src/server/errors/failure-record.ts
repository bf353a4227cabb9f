import { hostname } from 'node:os'
import type { Side } from '../../shared/wire/public-error.ts'

/** The phase of a request, a page or the process in which something failed. */
export type Phase = 'guard' | 'load' | 'action' | 'render' | 'stream' | 'route' | 'client' | 'process'

/** A stack frame, mapped to the source if there is a source map. */
export interface SourceFrame {
  /** The path in the site, with forward slashes. For code outside the site, the path or the URL in the stack. */
  file: string
  /** From 1; 0 when unknown. */
  line: number
  /** From 1; 0 when unknown. */
  column: number
  /** The function's name in the source; empty for none. */
  function: string
  /** True for the site's own code. */
  isSite: boolean
  /** Why the frame could not be mapped to the source; missing for other frames. */
  unmapped?: string
  /** What the frame stands for, if the stack has no frame in the site; missing for frames of a stack. */
  standIn?: StandIn
  /** The lines around the frame, for the innermost frames in the site. */
  code?: CodeLines
}

/**
 * The part of the site that a failure without a frame in the site belongs to. `promise` is a function that returned the
 * promise which failed.
 */
export type StandIn = 'function' | 'promise' | 'component' | 'page'

/** Lines of a source file. */
export interface CodeLines {
  /** Number of the first line, from 1. */
  firstLine: number
  lines: string[]
}

/** An error in the ledger: redacted and cut to size. */
export interface KeptError {
  /** The name of the error's class, such as `TypeError`. */
  type: string
  message: string
  /** The innermost frame first. */
  stack: SourceFrame[]
  cause?: KeptError
  /** The errors of an AggregateError. */
  errors?: KeptError[]
}

/** The kind of program that sent a request. */
export type UserAgentClass = 'browser' | 'crawler' | 'script'

/** One time that a failure happened. */
export interface Occurrence {
  /** The whole digest, `FINGERPRINT-OCCURRENCE`. */
  digest: string
  /** Milliseconds since 1970. */
  time: number
  phase: Phase
  /** The message of this occurrence, with its ids and numbers. */
  message: string
  /** The site's route (`/products/[id]`); null outside of any request. */
  route: string | null
  /** The HTTP method; null outside of any request. */
  method: string | null
  /** The path without the query; null outside of any request. */
  path: string | null
  /** The host name that the visitor sees, without a port; null outside of any request. */
  host: string | null
  /** The id of the request, which the log and the header `X-Request-Id` have; null outside of any request. */
  requestId: string | null
  /** 32 hexadecimal digits, from the option `traceOf` or the header `traceparent`. */
  traceId?: string
  /**
   * 16 hexadecimal digits: the span of the option `traceOf`, or the span of the caller in the header `traceparent`.
   */
  spanId?: string
  /** The option `release`, or the id of the build. */
  release: string
  /** The id of the build; missing when it is unknown. */
  build?: string
  /** The host name of the machine or container whose process recorded the failure. */
  replica?: string
  /** The number of the worker that recorded the failure; missing without workers. */
  worker?: string
  /** The id of the process that recorded the failure. */
  pid?: number
  /** The kind of program that sent the request; null outside of any request. */
  userAgent: UserAgentClass | null
  /**
   * The status of the response; null outside of any request, for a failure in a browser, and if the client had left.
   */
  statusSent: number | null
  /** True if the browser has reported that it shows the page in spite of the failure. */
  isRecovered: boolean
  /** The names of the work that was not finished when a deadline passed; missing for other failures. */
  pending?: string[]
}

/** A failure as the ledger and `onFailure` get it. */
export interface FailureRecord extends Occurrence {
  /** The first half of the digest, which all occurrences of the failure share. */
  fingerprint: string
  /** Where it failed: on the server or in the browser. */
  side: Side
  error: KeptError
  /** Only in development. The ledger does not keep them. */
  details?: DevelopmentDetails
}

/** Details of a failure that `hydrant dev` shows besides its record. */
export interface DevelopmentDetails {
  /** The site's components around the place, innermost first. */
  components: SourceFrame[]
  /** The `User-Agent` header of the request, or of the browser's report; empty for none. */
  userAgent: string
}

/** The process in which a failure occurred. */
export type ProcessOrigin = Pick<Occurrence, 'replica' | 'worker' | 'pid'>

/** Returns the origin of this process. `worker` is its number in the cluster, or null when it serves alone. */
export function ownOrigin(worker: string | null): ProcessOrigin {
  const origin = { replica: hostname(), pid: process.pid }
  return worker === null ? origin : { ...origin, worker }
}

/** An error with its cause and, for an AggregateError, its errors. */
interface Nested<Inner> {
  cause?: Inner
  errors?: readonly Inner[]
}

/** Returns the causes of an error and the errors of an AggregateError, with theirs, in the order in which they are shown. */
export function innerErrorsOf<Inner extends Nested<Inner>>({ cause, errors = [] }: Nested<Inner>): Inner[] {
  return (cause ? [cause, ...errors] : errors).flatMap((inner) => [inner, ...innerErrorsOf(inner)])
}

/**
 * Returns the first frame of the site, in the stack of the error, of its causes, or of the errors of an AggregateError;
 * null if there is none.
 */
export function siteFrameOf(error: KeptError): SourceFrame | null {
  const frames = [error, ...innerErrorsOf(error)].flatMap(({ stack }) => stack)
  return frames.find(({ isSite }) => isSite) ?? null
}
