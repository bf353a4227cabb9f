import type { ErrorInfo } from 'react'
import { base } from '../shared/base.ts'
import { Boundary } from '../shared/tree/boundary.tsx'
import type { Boot } from '../shared/wire/boot.ts'
import { RefusalError, ServerFailure } from '../shared/wire/deferred-data.ts'
import { UPDATED_EVENT } from '../shared/wire/dev-protocol.ts'
import { MAX_REPORTS, REPORT_LENGTHS, REPORT_PATH, type Report } from '../shared/wire/report-format.ts'
import { describeThrown, framesIn } from './describe-thrown.ts'
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
    content.error.stack ||= `    at ${filename}:${lineno}:${colno}`.slice(0, REPORT_LENGTHS.stack)
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
  const stack = componentStack?.slice(0, REPORT_LENGTHS.componentStack)
  return { kind: 'failure', isRecovered, error, ...(stack ? { componentStack: stack } : {}) }
}

function digestOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'digest' in thrown && typeof thrown.digest === 'string' ? thrown.digest : null
}
