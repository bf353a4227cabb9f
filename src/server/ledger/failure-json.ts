import { fingerprintOfSide } from '../../shared/wire/digest-format.ts'
import {
  type CodeLines,
  type FailureRecord,
  type KeptError,
  type Occurrence,
  type SourceFrame,
  siteFrameOf,
} from '../errors/failure-record.ts'
import { type FailureDetails, type FailureSummary, SUMMARY_FIELDS, SUMMARY_NAMES } from './entries.ts'
import type { Ledger, ReadQuery } from './ledger.ts'

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

/** Returns a failure as `hydrant errors --json` and the API list it: no stack, no occurrences. Times are ISO. */
export function summaryJson(summary: FailureSummary) {
  const fields = SUMMARY_NAMES.map((name) => {
    const value = summary[name]
    return [name, SUMMARY_FIELDS[name].type === 'time' && value !== null ? isoTime(Number(value)) : value]
  })
  return { ...Object.fromEntries(fields), source: summary.source && sourceJson(summary.source) }
}

/** Returns a failure as JSON, with its stack, its causes and the occurrences that were read. */
export function failureJson({ error, occurrences, ...summary }: FailureDetails) {
  return {
    ...summaryJson({ ...summary, source: siteFrameOf(error) ?? summary.source }),
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

/**
 * Reads the failure of a fingerprint that a person typed; null if the ledger does not have it. The first character of
 * old digests does not say the side. The ledger may have such a failure of the server with another first character,
 * while the old occurrences still have the old digest.
 */
export async function readFailure(
  ledger: Pick<Ledger, 'read'>,
  fingerprint: string,
  query: ReadQuery,
): Promise<FailureDetails | null> {
  const found = await ledger.read(fingerprint, query)
  const serverFingerprint = fingerprintOfSide(fingerprint, 'server')
  if (serverFingerprint === fingerprint) return found
  const renamed = await ledger.read(serverFingerprint, query)
  const hasOldDigest = renamed?.occurrences.some(({ digest }) => digest.startsWith(fingerprint))
  return hasOldDigest ? renamed : (found ?? renamed)
}

/** The types of thrown values that are no errors. */
const OTHER_TYPES = new Set([
  'string',
  'number',
  'bigint',
  'boolean',
  'symbol',
  'undefined',
  'null',
  'function',
  'Object',
  'Proxy',
  'Response',
  'Redirection',
  'NotFoundSignal',
])

/**
 * Returns a sentence for a failure whose place is a function, a component or a page, because its stack has no line of
 * the site. Returns null for other failures, and for Hydrant's own errors about such a place.
 */
export function placeNote({ error }: Pick<FailureRecord, 'error'>): string | null {
  const { standIn, line = 0 } = siteFrameOf(error) ?? {}
  if (standIn === undefined || error.type === 'HydrantError') return null
  // The place has no line, and is not a function either: a route.
  if (line === 0 && standIn !== 'page') return null
  const reason = OTHER_TYPES.has(error.type) ? 'The thrown value is not an Error' : 'The stack has no line of the site'
  if (standIn !== 'promise') return `${reason}, so the place is only the ${standIn}.`
  return `${reason}, so the place is only the function. An \`await\` before the promise that it returns adds the line.`
}
