// Tells the server of failures. Loaded at the first one.

import type { ErrorInfo } from 'react'
import { base } from '../shared/base.ts'
import { Boundary } from '../shared/tree/boundary.tsx'
import type { Boot } from '../shared/wire/boot.ts'
import { RefusalError, ServerFailure } from '../shared/wire/deferred-data.ts'
import {
  MAX_REPORTED_CAUSES,
  MAX_REPORTS,
  REPORT_LENGTHS,
  REPORT_PATH,
  type Report,
  type ReportedError,
} from '../shared/wire/report-format.ts'

/** What React says of a failure, besides what was thrown. */
export interface FailureInfo {
  componentStack?: string | null | undefined
  /** The boundary that has caught it. */
  errorBoundary?: unknown
  isRecovered?: boolean
}

/** What the `error` and `unhandledrejection` events hold, each its own part. */
type FailureEvent = Partial<
  Pick<ErrorEvent & PromiseRejectionEvent, 'error' | 'message' | 'reason' | 'filename' | 'lineno' | 'colno'>
>

/** Frames of what visitors have added to their browser. */
const EXTENSION = /^[^\n]*\b(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|webkit-masked-url):/
const PLACE = /:\d+:\d+\)?$/

const told = new Set<string>()

/**
 * Sends a report, once for each failure in this document. With `info` it is React that has told of `thrown`; without, it
 * is an event of the window. `ended` holds what navigations have ended with before their page stood.
 */
export function report({ build }: Boot, ended: ReadonlySet<unknown>, thrown: unknown, info?: FailureInfo) {
  const content = info ? contentOf(thrown, info) : contentOfEvent(thrown as FailureEvent, ended)
  if (!content) return
  const key = JSON.stringify(content)
  if (told.has(key) || told.size >= MAX_REPORTS) return
  told.add(key)
  const path = location.pathname.slice(0, REPORT_LENGTHS.path)
  const body: Report = { build, path, ...content }
  send(JSON.stringify(body))
}

type Content = Report extends infer Kind ? (Kind extends Report ? Omit<Kind, 'build' | 'path'> : never) : never

function contentOf(thrown: unknown, info: FailureInfo): Content | null {
  const digest = digestOf(thrown)
  if (info.isRecovered && digest) return { kind: 'recovered', digest }
  // The server has told its log of these, and shown a digest.
  if (thrown instanceof ServerFailure || thrown instanceof RefusalError) return null
  if (info.errorBoundary instanceof Boundary && digestShown(info.errorBoundary)) return null
  const { componentStack, isRecovered = false } = info
  return failureOf(thrown, isRecovered, componentStack)
}

function digestShown({ examined }: Boundary): boolean {
  return examined !== undefined && 'digest' in examined.shown
}

function contentOfEvent(event: FailureEvent, ended: ReadonlySet<unknown>): Content | null {
  const { error, message = '', reason, filename, lineno, colno } = event
  // A script that has called `navigation.navigate()` hears so of a visitor who has gone elsewhere instead. A handler that
  // fails ends its navigation with what it has thrown.
  if (ended.has(reason) && (reason as Error | null)?.name === 'AbortError') return null
  // Of scripts from elsewhere a browser tells nothing; the other is no exception, but a note of the browser's.
  if (error == null && /^(?:Script error\.?$|ResizeObserver loop)/.test(message)) return null
  const content = failureOf(error ?? reason ?? (message || undefined), false)
  // The event knows the place of a value without a stack.
  if (content?.kind === 'failure' && filename)
    content.error.stack ||= cut(`    at ${filename}:${lineno}:${colno}`, 'stack')
  return content
}

function failureOf(
  thrown: unknown,
  isRecovered: boolean,
  componentStack?: ErrorInfo['componentStack'],
): Content | null {
  const error = describe(thrown, 0)
  const frames = error.stack.split('\n').filter((line) => PLACE.test(line))
  if (frames.length > 0 && frames.every((line) => EXTENSION.test(line))) return null
  const stack = componentStack?.slice(0, REPORT_LENGTHS.componentStack)
  return { kind: 'failure', isRecovered, error, ...(stack ? { componentStack: stack } : {}) }
}

function digestOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'digest' in thrown && typeof thrown.digest === 'string' ? thrown.digest : null
}

// Anything may have been thrown, also what throws when it is looked at.
function describe(thrown: unknown, depth: number): ReportedError {
  try {
    return thrown instanceof Error ? describeError(thrown, depth) : describeValue(thrown)
  } catch {
    return { type: 'Object', message: 'an object that cannot be read', stack: '' }
  }
}

function describeError({ name, message, stack, cause }: Error, depth: number): ReportedError {
  const own = {
    type: cut(name, 'type') || 'Error',
    message: cut(message, 'message'),
    stack: cut(stack ?? '', 'stack'),
  }
  return cause === undefined || depth >= MAX_REPORTED_CAUSES ? own : { ...own, cause: describe(cause, depth + 1) }
}

// Values of an object that is no error may be anything: its keys have to do.
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

/** Nobody is told when it does not arrive. */
function send(json: string) {
  const url = base + REPORT_PATH
  // As JSON a browser always says where it comes from, whatever the page's referrer policy.
  const body = new Blob([json], { type: 'application/json' })
  if (isBeaconTaken(url, body)) return
  fetch(url, { method: 'POST', body, keepalive: true }).catch(() => {})
}

// Some browsers have none, and what blocks advertisements may throw.
function isBeaconTaken(url: string, body: Blob): boolean {
  try {
    return navigator.sendBeacon(url, body)
  } catch {
    return false
  }
}
