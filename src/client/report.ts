import type { ErrorInfo } from 'react'
import { base } from '../shared/base.ts'
import { Boundary } from '../shared/tree/boundary.tsx'
import type { Boot } from '../shared/wire/boot.ts'
import { UPDATED_EVENT } from '../shared/wire/dev-protocol.ts'
import { RefusalError, ServerFailure } from '../shared/wire/promises.ts'
import {
  MAX_REPORTED_CAUSES,
  MAX_REPORTED_ERRORS,
  MAX_REPORTED_INNER,
  MAX_REPORTS,
  REPORT_LENGTHS,
  REPORT_PATH,
  type Report,
  type ReportedError,
  STACKS_VARIABLE,
  type ThrownStacks,
  withoutQueries,
} from '../shared/wire/report-format.ts'
import { shortenMismatch } from './dev/shorten-mismatch.ts'
import { postJson } from './post-json.ts'

// Reports failures to the server. Loaded at the first one.

/** What React passes with a thrown value. */
export interface FailureInfo {
  componentStack?: string | null | undefined
  /** The boundary that caught the value. */
  errorBoundary?: unknown
  isRecovered?: boolean
}

/** Logs or reports a failure that React has caught. */
export type LogError = (error: unknown, info: FailureInfo) => void

/** The fields of `error` and `unhandledrejection` events; each event has some of them. */
type FailureEvent = Partial<
  Pick<ErrorEvent & PromiseRejectionEvent, 'error' | 'message' | 'reason' | 'filename' | 'lineno' | 'colno'>
>

/** The build replaces the variable, and removes what only development needs. */
declare const process: { env: { NODE_ENV: string } }

/** Matches a frame of a browser extension. */
const EXTENSION = /^[^\n]*\b(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|webkit-masked-url):/

/** Matches what browsers write for `throw undefined` and `throw null`. */
const NOTHING = /^(?:uncaught (?:exception: )?)?(?:undefined|null)$/i

/** The beginning of the message of an error after which the page has been rendered again. */
const REPAIRED = 'A translation or a browser extension has changed the page:'

const reported = new Set<string>()

// The document stays open when the source changes. After a change, an equal failure is reported again.
if (process.env.NODE_ENV === 'development') addEventListener(UPDATED_EVENT, () => reported.clear())

/**
 * Sends a report, once for each failure in this document.
 *
 * @param ended The reasons of navigations that ended before their page was shown. They are no failures.
 * @param thrown What React caught, or an `error` or `unhandledrejection` event.
 * @param info Undefined for an event.
 */
export function report({ build }: Boot, ended: ReadonlySet<unknown>, thrown: unknown, info?: FailureInfo) {
  const content = info ? contentOf(thrown, info) : contentOfEvent(thrown as FailureEvent, ended)
  if (!content) return
  const key = JSON.stringify(content)
  if (reported.has(key) || reported.size >= MAX_REPORTS) return
  reported.add(key)
  const path = location.pathname.slice(0, REPORT_LENGTHS.path)
  const body: Report = { build, path, ...content }
  postJson(base + REPORT_PATH, JSON.stringify(body))
}

type Content = Report extends infer Kind ? (Kind extends Report ? Omit<Kind, 'build' | 'path'> : never) : never

function contentOf(thrown: unknown, info: FailureInfo): Content | null {
  const digest = digestOf(thrown)
  if (info.isRecovered && digest) return { kind: 'recovered', digest }
  // The server has logged these failures.
  if (thrown instanceof ServerFailure || thrown instanceof RefusalError) return null
  if (info.errorBoundary instanceof Boundary && showsDigest(info.errorBoundary)) return null
  const { componentStack, isRecovered = false } = info
  const isRepaired = isRepairedIn(thrown, info.errorBoundary)
  const content = failureOf(thrown, isRecovered || isRepaired, componentStack)
  if (isRepaired && content?.kind === 'failure') content.error.message = `${REPAIRED} ${content.error.message}`
  return content
}

/** Returns whether the page has been rendered again after an error that React has thrown: see `repair.ts`. */
function isRepairedIn(thrown: unknown, boundary: unknown): boolean {
  if (!(thrown instanceof DOMException && thrown.name === 'NotFoundError' && boundary instanceof Boundary)) return false
  return boundary.shown?.page !== boundary.context.page
}

function showsDigest({ shown }: Boundary): boolean {
  return shown !== undefined && 'digest' in shown.error
}

function contentOfEvent(event: FailureEvent, ended: ReadonlySet<unknown>): Content | null {
  const { error, message = '', reason, filename, lineno, colno } = event
  // `navigation.navigate()` rejects in this way when the visitor goes elsewhere. Any other reason is an error that a
  // handler of the navigation threw.
  if (ended.has(reason) && (reason as Error | null)?.name === 'AbortError') return null
  // Browsers hide errors in scripts of other origins. The note about a ResizeObserver is not an exception.
  if (error == null && /^(?:Script error\.?$|ResizeObserver loop)/.test(message)) return null
  const thrown = error === undefined ? reason : error
  const hasText = message !== '' && !NOTHING.test(message)
  const content = failureOf(thrown, false, undefined, thrown ?? (hasText ? message : thrown))
  // Only scripts of the build keep stacks. For other scripts, the event of the exception has a position.
  if (content?.kind === 'failure' && filename)
    content.error.stack ||= cutStack(`    at ${filename}:${lineno}:${colno}`, 'stack')
  return content
}

function failureOf(
  thrown: unknown,
  isRecovered: boolean,
  componentStack?: ErrorInfo['componentStack'],
  shown = thrown,
): Content | null {
  const error = describeThrown(shown, thrown)
  const frames = framesIn(error.stack)
  if (frames.length > 0 && frames.every((line) => EXTENSION.test(line))) return null
  const stack = cutStack(componentStack ?? '', 'componentStack')
  return { kind: 'failure', isRecovered, error, ...(stack ? { componentStack: stack } : {}) }
}

function digestOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'digest' in thrown && typeof thrown.digest === 'string' ? thrown.digest : null
}

/** The build replaces the variable, and removes what only development needs. */

/** Matches a frame with a position. */
const POSITION = /:\d+:\d+\)?$/

/**
 * Describes a value with its causes and the errors of an AggregateError, within the limits of a report.
 *
 * @param thrown The value that was thrown. It may have nothing to describe, so that another one stands for it.
 */
export function describeThrown(value: unknown, thrown: unknown): ReportedError {
  let left = MAX_REPORTED_INNER

  // The value may be an object that throws when it is read.
  function describe(value: unknown, thrown: unknown, depth: number, length: StackLength): ReportedError {
    try {
      const described = value instanceof Error ? describeError(value, depth, length) : describeValue(value)
      if (framesIn(described.stack).length === 0) described.stack = keptStack(thrown, length) || described.stack
      return described
    } catch {
      return { type: 'Object', message: 'an object that cannot be read', stack: '' }
    }
  }

  function describeError(error: Error, depth: number, length: StackLength): ReportedError {
    const { name, message, stack, cause, errors } = error as AggregateError
    const described: ReportedError = {
      type: cut(name, 'type') || 'Error',
      message: cut(
        process.env.NODE_ENV === 'development' ? shortenMismatch(message, REPORT_LENGTHS.message) : message,
        'message',
      ),
      stack: cutStack(stack ?? '', length),
    }
    if (depth >= MAX_REPORTED_CAUSES) return described
    if (cause !== undefined && left-- > 0) described.cause = describe(cause, cause, depth + 1, length)
    if (Array.isArray(errors))
      described.errors = errors
        .slice(0, MAX_REPORTED_ERRORS)
        .flatMap((one) => (left-- > 0 ? [describe(one, one, depth + 1, 'innerStack')] : []))
    return described
  }

  return describe(value, thrown, 0, 'stack')
}

type StackLength = 'stack' | 'innerStack'

export function framesIn(stack: string): string[] {
  return stack.split('\n').filter((line) => POSITION.test(line))
}

/** Returns the stack that the site's scripts have kept for a value without one, or an empty string. */
function keptStack(thrown: unknown, length: StackLength): string {
  const [primitives, objects] = (self as { [STACKS_VARIABLE]?: ThrownStacks })[STACKS_VARIABLE] ?? []
  // A WeakMap returns undefined for a primitive value.
  const stack = primitives?.get(thrown) ?? objects?.get(thrown as WeakKey) ?? ''
  // The first frame is that of the function that keeps the stack.
  return cutStack(framesIn(stack).slice(1).join('\n'), length)
}

// The values of an object may be secret or large, so only its keys are reported.
function describeValue(value: unknown): ReportedError {
  if (value === null || value === undefined)
    return { type: String(value), message: `nothing (${value}) was thrown`, stack: '' }
  if (typeof value !== 'object') return { type: typeof value, message: cut(value, 'message'), stack: '' }
  const keys = Object.keys(value).slice(0, 20).join(', ')
  return { type: 'Object', message: cut(`an object with the keys ${keys || '(none)'}`, 'message'), stack: '' }
}

function cutStack(stack: unknown, name: StackLength | 'componentStack'): string {
  return withoutQueries(String(stack)).slice(0, REPORT_LENGTHS[name])
}

function cut(text: unknown, name: 'type' | 'message'): string {
  return String(text).slice(0, REPORT_LENGTHS[name])
}
