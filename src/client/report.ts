import type { ErrorInfo } from 'react'
import { base } from '../shared/base.ts'
import { Boundary } from '../shared/tree/boundary.tsx'
import type { Boot } from '../shared/wire/boot.ts'
import { RefusalError, ServerFailure } from '../shared/wire/deferred-data.ts'
import { UPDATED_EVENT } from '../shared/wire/dev-protocol.ts'
import {
  MAX_REPORTED_CAUSES,
  MAX_REPORTS,
  REPORT_LENGTHS,
  REPORT_PATH,
  type Report,
  type ReportedError,
} from '../shared/wire/report-format.ts'
import { STACKS_VARIABLE, type ThrownStacks } from '../shared/wire/thrown-stacks.ts'
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
/** Matches a frame with a position. */
const POSITION = /:\d+:\d+\)?$/

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
  return failureOf(thrown, isRecovered, componentStack)
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
  const content = failureOf(thrown, false, undefined, thrown ?? (message || undefined))
  // Only scripts of the build keep stacks. For other scripts, the event of the exception has a position.
  if (content?.kind === 'failure' && filename)
    content.error.stack ||= cut(`    at ${filename}:${lineno}:${colno}`, 'stack')
  return content
}

function failureOf(
  thrown: unknown,
  isRecovered: boolean,
  componentStack?: ErrorInfo['componentStack'],
  shown = thrown,
): Content | null {
  const error = describeThrown(shown, 0)
  const ownFrames = framesIn(error.stack)
  const frames = ownFrames.length > 0 ? ownFrames : keptFrames(thrown)
  if (ownFrames.length === 0 && frames.length > 0) error.stack = cut(frames.join('\n'), 'stack')
  if (frames.length > 0 && frames.every((line) => EXTENSION.test(line))) return null
  const stack = componentStack?.slice(0, REPORT_LENGTHS.componentStack)
  return { kind: 'failure', isRecovered, error, ...(stack ? { componentStack: stack } : {}) }
}

function framesIn(stack: string): string[] {
  return stack.split('\n').filter((line) => POSITION.test(line))
}

/** Returns the frames that the site's scripts have kept for a value without a stack. */
function keptFrames(thrown: unknown): string[] {
  const [primitives, objects] = (self as { [STACKS_VARIABLE]?: ThrownStacks })[STACKS_VARIABLE] ?? []
  // A WeakMap returns undefined for a primitive value.
  const stack = primitives?.get(thrown) ?? objects?.get(thrown as WeakKey) ?? ''
  // The first frame is that of the function that keeps the stack.
  return framesIn(stack).slice(1)
}

function digestOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'digest' in thrown && typeof thrown.digest === 'string' ? thrown.digest : null
}

// The thrown value may be an object that throws when it is read.
function describeThrown(thrown: unknown, depth: number): ReportedError {
  try {
    return thrown instanceof Error ? describeError(thrown, depth) : describeValue(thrown)
  } catch {
    return { type: 'Object', message: 'an object that cannot be read', stack: '' }
  }
}

function describeError({ name, message, stack, cause }: Error, depth: number): ReportedError {
  const described = {
    type: cut(name, 'type') || 'Error',
    message: cut(
      process.env.NODE_ENV === 'development' ? shortenMismatch(message, REPORT_LENGTHS.message) : message,
      'message',
    ),
    stack: cut(stack ?? '', 'stack'),
  }
  return cause === undefined || depth >= MAX_REPORTED_CAUSES
    ? described
    : { ...described, cause: describeThrown(cause, depth + 1) }
}

// The values of an object may be secret or large, so only its keys are reported.
function describeValue(value: unknown): ReportedError {
  if (typeof value !== 'object' || value === null) {
    return { type: value === null ? 'null' : typeof value, message: cut(value, 'message'), stack: '' }
  }
  const keys = Object.keys(value).slice(0, 20).join(', ')
  return { type: 'Object', message: cut(`an object with the keys ${keys || '(none)'}`, 'message'), stack: '' }
}

function cut(text: unknown, name: 'type' | 'message' | 'stack'): string {
  return String(text).slice(0, REPORT_LENGTHS[name])
}
