import type { CodeLines, KeptError, Occurrence, SourceFrame } from '../errors/failure-record.ts'
import { siteFrameOf } from '../errors/site-frame.ts'
import type { FailureDetails, FailureSummary } from './ledger.ts'
import { placeNote } from './place-note.ts'

export interface FrameJson {
  file: string
  line: number
  column: number
  function: string
  isSite: boolean
  unmapped?: string
}

interface SourceJson extends Omit<FrameJson, 'isSite' | 'unmapped'> {
  /** The source lines around the frame; null if the build did not have them. */
  code: CodeLines | null
}

/** A cause of a failure, or an error of an AggregateError. */
export interface InnerErrorJson {
  type: string
  message: string
  stack: FrameJson[]
  cause?: InnerErrorJson
  errors?: InnerErrorJson[]
}

/**
 * Returns a failure as `hydrant errors --json` and the console's API list it, without its stack and its occurrences. Times
 * are ISO strings.
 */
export function summaryJson(summary: FailureSummary) {
  return { ...headJson(summary), source: summary.source ? sourceJson(summary.source) : null }
}

/** Returns a failure as JSON, with its stack, its causes and the occurrences that were read. */
export function failureJson({ error, occurrences, ...summary }: FailureDetails) {
  const source = siteFrameOf(error) ?? summary.source
  return {
    ...headJson(summary),
    source: source ? sourceJson(source) : null,
    note: placeNote({ error }),
    stack: error.stack.map(frameJson),
    causes: causesOf(error).map(innerJson),
    errors: (error.errors ?? []).map(innerErrorJson),
    occurrences: occurrences.map(occurrenceJson),
  }
}

/** Returns the causes of an error, the direct one first. */
function causesOf({ cause }: KeptError): KeptError[] {
  return cause ? [cause, ...causesOf(cause)] : []
}

function headJson(summary: FailureSummary) {
  const { fingerprint, side, phase, type, message, count, route, firstRelease, lastRelease } = summary
  return {
    fingerprint,
    side,
    phase,
    type,
    message,
    count,
    firstSeen: isoTime(summary.firstSeen),
    lastSeen: isoTime(summary.lastSeen),
    firstRelease,
    lastRelease,
    route,
    solvedAt: summary.solvedAt === null ? null : isoTime(summary.solvedAt),
  }
}

function sourceJson({ file, line, column, function: name, code }: SourceFrame): SourceJson {
  return { file, line, column, function: name, code: code ?? null }
}

function frameJson({ file, line, column, function: name, isSite, unmapped }: SourceFrame): FrameJson {
  return { file, line, column, function: name, isSite, ...(unmapped === undefined ? {} : { unmapped }) }
}

function innerErrorJson({ cause, ...error }: KeptError): InnerErrorJson {
  return { ...innerJson(error), ...(cause ? { cause: innerErrorJson(cause) } : {}) }
}

// Without the cause, because `causes` is a flat list of the chain.
function innerJson({ type, message, stack, errors }: KeptError): InnerErrorJson {
  return { type, message, stack: stack.map(frameJson), ...(errors ? { errors: errors.map(innerErrorJson) } : {}) }
}

function occurrenceJson({ digest, time, ...occurrence }: Occurrence) {
  return { digest, time: isoTime(time), ...occurrence }
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}
