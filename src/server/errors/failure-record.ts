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

/** Where a field of a failure goes. */
interface Field<Ledger> {
  /** In the log line: the record's value, unless it is null or false, or a value of the line's own (neither). */
  line?: 'record' | 'own'
  /** In the ledger: with each occurrence, or those where it is known, once for the failure, or not at all. */
  ledger: Ledger
  /** The type of the column that it has besides the JSON of the occurrence (none): `is_recovered`. */
  column?: 'text' | 'bigint' | 'boolean'
}

/** Where each field of a failure goes, in the order of the log line and of the JSON of an occurrence. */
const FIELDS = {
  digest: { line: 'record', ledger: 'occurrence', column: 'text' },
  fingerprint: { ledger: 'failure' },
  side: { line: 'record', ledger: 'failure' },
  time: { ledger: 'occurrence', column: 'bigint' },
  phase: { line: 'record', ledger: 'occurrence' },
  message: { ledger: 'occurrence' },
  error: { ledger: 'failure' },
  route: { line: 'record', ledger: 'occurrence', column: 'text' },
  method: { line: 'record', ledger: 'occurrence' },
  path: { ledger: 'occurrence' },
  // The path with the query.
  url: { line: 'own', ledger: 'none' },
  host: { line: 'record', ledger: 'occurrence' },
  // The error with its stack as text.
  err: { line: 'own', ledger: 'none' },
  // The log of the request adds it to each line.
  requestId: { ledger: 'occurrence' },
  release: { ledger: 'occurrence', column: 'text' },
  userAgent: { ledger: 'occurrence' },
  // In the line only a status that was sent before the failure.
  statusSent: { line: 'own', ledger: 'occurrence' },
  isRecovered: { line: 'record', ledger: 'occurrence', column: 'boolean' },
  build: { ledger: 'known' },
  replica: { ledger: 'known' },
  worker: { ledger: 'known' },
  pid: { ledger: 'known' },
  pending: { line: 'record', ledger: 'known' },
  traceId: { line: 'record', ledger: 'known' },
  spanId: { line: 'record', ledger: 'known' },
  details: { ledger: 'none' },
} as const satisfies {
  [Name in keyof FailureRecord | 'url' | 'err']: Field<
    Name extends keyof Occurrence
      ? Occurrence extends Record<Name, unknown>
        ? 'occurrence'
        : 'known'
      : 'failure' | 'none'
  >
}

type FieldName = keyof typeof FIELDS
type FieldsWith<Part> = { [Name in FieldName as (typeof FIELDS)[Name] extends Part ? Name : never]: unknown }

// `Object.entries` loses the names.
const ENTRIES = Object.entries(FIELDS) as [FieldName, Field<string>][]
const LINE = ENTRIES.flatMap(([name, { line }]) => (line ? [[name, line === 'own'] as const] : []))
const keptAs = (kind: string) =>
  ENTRIES.flatMap(([name, { ledger }]) => (ledger === kind ? [name as keyof Occurrence] : []))
const KNOWN = keptAs('known')

/** The fields of an occurrence that have a column. */
export const OCCURRENCE_COLUMNS = keptAs('occurrence').flatMap((field) => {
  const { column }: Field<string> = FIELDS[field]
  return column ? [{ field, type: column }] : []
})

/** Returns the log line of a failure. */
export function lineOf<Own extends FieldsWith<{ line: 'own' }>>(failure: FailureRecord, own: Own): Own {
  const record: Partial<Record<FieldName, unknown>> = failure
  const others: typeof record = own
  const line: typeof record = {}
  for (const [name, isOwn] of LINE) {
    const value = isOwn ? others[name] : record[name]
    if (value !== undefined && value !== null && value !== false) line[name] = value
  }
  // `FIELDS` has the names of `Own`.
  return line as Own
}

/** Returns the fields of a failure that its occurrence keeps. */
export function occurrenceOf(record: Occurrence): Occurrence {
  // perf: no rest pattern, 16 ns instead of 355 ns, commit 8d8d4fde
  const { digest, time, phase, message, route, method, path, host, requestId } = record
  const { release, userAgent, statusSent, isRecovered } = record
  const occurrence: Occurrence = {
    digest,
    time,
    phase,
    message,
    route,
    method,
    path,
    host,
    requestId,
    release,
    userAgent,
    statusSent,
    isRecovered,
  }
  const known: Partial<Record<keyof Occurrence, unknown>> = occurrence
  for (const name of KNOWN) {
    const value = record[name]
    if (value !== undefined) known[name] = value
  }
  return occurrence
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
