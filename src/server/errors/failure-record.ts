// A failure as it is recorded: logged, kept in the ledger, and handed to `onFailure`.

import type { Side } from '../../shared/page-types.ts'

/** Where in the life of a request, a page or the process it failed. */
export type Phase = 'load' | 'action' | 'render' | 'stream' | 'route' | 'client' | 'process'

export interface SourceFrame {
  /** Path in the site with forward slashes; for other code its path or URL, as the stack has it. */
  file: string
  /** From 1; 0 when the stack does not say. */
  line: number
  /** From 1; 0 when the stack does not say. */
  column: number
  /** The function's name in the source; empty for none. */
  function: string
  /** Of the site's own code? */
  isSite: boolean
  /** Why the frame is as the stack had it, for one that should have led to a source. */
  unmapped?: string
  /** The lines around it, for the first frames of the site. */
  code?: CodeLines
}

export interface CodeLines {
  /** Number of the first of them, from 1. */
  firstLine: number
  lines: string[]
}

/** An error as it is kept: without secrets, and cut to size. */
export interface KeptError {
  type: string
  message: string
  /** Innermost first. */
  stack: SourceFrame[]
  cause?: KeptError
  /** Of an AggregateError. */
  errors?: KeptError[]
}

/** What kind of program has asked. */
export type UserAgentClass = 'browser' | 'crawler' | 'script'

/** One time that something failed. */
export interface Occurrence {
  /** The whole digest, `FINGERPRINT-OCCURRENCE`. */
  digest: string
  /** Milliseconds since 1970. */
  time: number
  phase: Phase
  /** With the ids and numbers of this time. */
  message: string
  /** The site's route, `/products/[id]`; null outside of any request. */
  route: string | null
  method: string | null
  /** Without the query. */
  path: string | null
  host: string | null
  requestId: string | null
  /** By the option `traceOf`, or of the request's `traceparent`: 32 hexadecimal digits. */
  traceId?: string
  /** By the option `traceOf`, or of the request's `traceparent`, the caller's span: 16 hexadecimal digits. */
  spanId?: string
  /** `HYDRANT_RELEASE`, or the build's id. */
  release: string
  /** The build's id; missing where it is not known. */
  build?: string
  /** Name of the machine or container whose process has told of it. */
  replica?: string
  /** Number of the worker; missing for a process that serves alone. */
  worker?: string
  /** Of that process. */
  pid?: number
  userAgent: UserAgentClass | null
  /** The status that the visitor got; null outside of any request and for what failed in a browser. */
  statusSent: number | null
  /** Did the browser show the page all the same? */
  isRecovered: boolean
  /** What a deadline found unfinished. */
  pending?: string[]
}

/** A failure as it is handed to the ledger and to `onFailure`. */
export interface FailureRecord extends Occurrence {
  /** The first half of the digest. Occurrences of the same failure share it. */
  fingerprint: string
  side: Side
  error: KeptError
}
