// Describes errors of a site in development for the overlay and the terminal.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ErrorCode, type ErrorEntry, errorTable } from '../../../src/server/errors/error-table.ts'
import {
  type FailureRecord,
  innerErrorsOf,
  type KeptError,
  type SourceFrame,
  siteFrameOf,
} from '../../../src/server/errors/failure-record.ts'
import { describeNothing } from '../../../src/server/failures/describe-thrown.ts'
import type { SourceMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { linesAround } from '../../../src/server/failures/stacks/source-map-file.ts'
import { readBrowserStack, readFrame } from '../../../src/server/failures/stacks/stack-frame.ts'
import { placeNote } from '../../../src/server/ledger/failure-json.ts'
import type {
  ConsoleText,
  DevCause,
  DevCode,
  DevDiffLine,
  DevError,
  DevErrorKind,
  DevFrame,
  DevStackLine,
} from '../../../src/shared/wire/dev-protocol.ts'
import { foreignFix } from '../../build/discover/other-frameworks.ts'
import { BuildError, type BuildProblem } from '../../build-problem.ts'
import { findFix } from '../../find-fix.ts'
import { isKnownError } from '../../terminal/format-error.ts'
import { folderWord } from '../../terminal/text.ts'
import { type DevFailure, DOES_NOT_BUILD } from './dev-failures.ts'

export function fromBuildError({ problems }: BuildError, dir: string): DevError[] {
  return problems.map((problem) => fromProblem(problem, dir))
}

/** Describes why a site does not build, start or stop, or an error outside of any request. */
export function fromStart({ title, error, source }: DevFailure, dir: string): DevError[] {
  if (error instanceof BuildError) return fromBuildError(error, dir)
  const stack = stackOf(error)
  const first = source ?? stack.find(({ isSite, place }) => isSite && place !== null)?.place ?? null
  const frame = first && frameOf(first, dir)
  const causes = causesOfThrown(error)
  return [
    {
      id: `${title}: ${namedMessageOf(error)}`,
      kind: title === DOES_NOT_BUILD ? 'build' : 'server',
      title,
      message: namedMessageOf(error),
      ...(isKnownError(error) ? { code: error.code, fix: error.fix } : {}),
      frame,
      stack,
      componentStack: [],
      ...(causes.length > 0 ? { causes } : {}),
    },
  ]
}

/** The site in which a failure occurred. */
export interface FailedSite {
  dir: string
  routes: readonly string[]
  /** Whether the route of the failure has code that could not be loaded. */
  isLoading: boolean
}

/** Describes a failure in a request or in a browser. */
export function fromFailure(failure: FailureRecord, { dir, routes, isLoading }: FailedSite): DevError {
  const { fingerprint, digest, error, route, path, details } = failure
  const mismatch = failure.side === 'client' ? readHydrationMismatch(error.message) : null
  const kind = mismatch ? 'hydration' : failure.side === 'client' ? 'browser' : 'server'
  const knownError = findKnownError(error)
  const fix = findFix(failure.side, error, routes)
  const source = siteFrameOf(error)
  // A difference always belongs to a component or a page.
  const note = mismatch ? null : placeNote(failure)
  const components = details?.components ?? []
  const causes = causesOfKept(error)
  const browser = failure.side === 'client' && details ? browserName(details.userAgent) : null
  return {
    id: `${fingerprint} ${route ?? ''}`,
    kind,
    title: titleOf(failure, kind, isLoading),
    message: mismatch?.sentence ?? (knownError ? error.message : textOf(error)),
    ...(fix === null ? knownError : { fix }),
    digest,
    lookUp: `npx hydrant errors ${digest}${folderWord(dir)} --dev`,
    ...(route === null ? {} : { route }),
    ...(path === null ? {} : { path }),
    ...(browser === null ? {} : { browser }),
    // A difference has no column: its place is the component, and the frames inside React say nothing about it.
    frame: source && toFrame(mismatch ? { ...source, column: 0 } : source),
    ...(note === null ? {} : { note }),
    stack: mismatch ? [] : error.stack.map(toStackLine),
    componentStack: components.map(toStackLine),
    ...(mismatch ? { diff: mismatch.diff } : {}),
    ...(causes.length > 0 ? { causes } : {}),
  }
}

export function fromConsole(text: ConsoleText, mapper: SourceMapper): DevError {
  const { path, message } = text
  const frames = consoleFrames(text, mapper)
  const source = frames.find(({ isSite }) => isSite)
  const code = source && mapper.codeAround(source)
  return {
    id: `${path} ${message}`,
    kind: 'console',
    title: path,
    message,
    path,
    frame: source ? toFrame(code ? { ...source, code } : source) : null,
    stack: frames.map(toStackLine),
    componentStack: [],
  }
}

/** Returns the stack of the call. If it does not lead to the site, returns the places that created the component. */
function consoleFrames({ stack, ownerStack }: ConsoleText, mapper: SourceMapper): SourceFrame[] {
  const framesIn = (text: string) => readBrowserStack(text).flatMap((line) => mapper.mapFrame(line).frame ?? [])
  const called = framesIn(stack)
  return called.some(({ isSite }) => isSite) ? called : framesIn(ownerStack)
}

export function fromProblem({ code, message, fix, location }: BuildProblem, dir: string): DevError {
  const place = location && { file: location.file, line: location.line ?? 0, column: location.column ?? 0 }
  const read = place && frameOf(place, dir)
  const lineText = location?.lineText ?? null
  const fallback = lineText === null || place === null ? {} : { code: { firstLine: place.line, lines: [lineText] } }
  return {
    id: `${code} ${place?.file ?? ''} ${message}`,
    kind: 'build',
    title: DOES_NOT_BUILD,
    message,
    code,
    fix,
    frame: read && { ...fallback, ...read },
    stack: [],
    componentStack: [],
  }
}

function titleOf({ phase, route, path, pending }: FailureRecord, kind: DevErrorKind, isLoading: boolean): string {
  const name = route === null || route === '*' ? (path ?? '') : route
  if (kind === 'hydration') return `The browser rendered the page ${name} differently from the server`
  if (pending) return `The ${phase} of ${name} took too long`
  switch (phase) {
    case 'guard':
    case 'load':
    case 'action':
      return `The ${phase} of ${name} failed`
    case 'render':
      return `The page ${name} failed while it rendered`
    case 'stream':
      return `The page ${name} failed after its first part was sent`
    case 'route':
      return isLoading ? `A module of ${name} failed while it was loaded` : `A route or hook failed at ${name}`
    case 'client':
      return `The page ${name} failed in the browser`
    case 'process':
      return 'An error outside of any request'
  }
}

function textOf({ type, message }: { type: string; message: string }): string {
  return `${type}: ${message}`
}

function causesOfKept(error: KeptError): DevCause[] {
  return innerErrorsOf(error).map((inner) => ({ message: textOf(inner), stack: inner.stack.map(toStackLine) }))
}

function toFrame({ file, line, column, code }: SourceFrame): DevFrame {
  return code ? { file, line, column, code } : { file, line, column }
}

function toStackLine({ file, line, column, function: name, isSite }: SourceFrame): DevStackLine {
  return { name, place: { file, line, column }, isSite }
}

function frameOf(place: DevFrame, dir: string): DevFrame {
  const { file, line, column } = place
  const code = place.code ?? readCode(dir, file, line)
  return code ? { file, line, column, code } : { file, line, column }
}

function namedMessageOf(thrown: unknown): string {
  if (isKnownError(thrown)) return thrown.message
  if (thrown === undefined || thrown === null) return describeNothing(thrown)
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
}

function causesOfThrown(thrown: unknown): DevCause[] {
  const causes: DevCause[] = []
  let cause = thrown instanceof Error ? thrown.cause : undefined
  // A cause may be its own cause.
  for (let left = MAX_CAUSES; left > 0 && cause instanceof Error; left--) {
    causes.push({ message: namedMessageOf(cause), stack: stackOf(cause) })
    cause = cause.cause
  }
  return causes
}

const MAX_CAUSES = 5

// The stack is mapped already: frames of the site have a path in the site.
function stackOf(thrown: unknown): DevStackLine[] {
  const text = thrown instanceof Error ? (thrown.stack ?? '') : ''
  return text.split('\n').flatMap((line) => {
    const frame = readFrame(line)
    if (!frame) return []
    const { location: file, function: name } = frame
    const isSite = !/^(?:[a-z]+:|\/|[A-Z]:\\)|(?:^|\/)node_modules\//.test(file)
    return [{ name, place: { file, line: frame.line, column: frame.column }, isSite }]
  })
}

/** Returns the lines around a place in a file of the site in `dir`, or null when they cannot be read. */
function readCode(dir: string, file: string, line: number): DevCode | null {
  try {
    return linesAround(readFileSync(resolve(dir, file), 'utf8').split(/\r?\n/), line)
  } catch {
    return null
  }
}

/** In this order: most browsers also name those that they are compatible with. */
const BROWSERS = [
  ['Edge', /\bEdg\w*\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* .*Safari\//],
] as const

/** Returns the name and major version of a browser: `Firefox 146`. Null for an unknown user agent. */
export function browserName(userAgent: string): string | null {
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1]
    if (version !== undefined) return `${name} ${version}`
  }
  return null
}

/** An error of Hydrant's table. */
export interface KnownError {
  code: ErrorCode
  fix: string
}

/** Returns Hydrant's error with this type and message, as failures have no code; null for an error of the site. */
function findKnownError({ type, message }: { type: string; message: string }): KnownError | null {
  if (type !== 'HydrantError') return null
  // Several patterns may match. The one with the most text of its own is the right one.
  const [found] = patterns()
    .filter(({ pattern }) => pattern.test(message))
    .sort((a, b) => b.length - a.length)
  return found ? { code: found.code, fix: fixOfName(message) ?? found.fix } : null
}

/** Returns the fix of the import of a name of another framework. A failure has no fix either. */
function fixOfName(message: string): string | undefined {
  const [, module = '', name = ''] = /^"(.*?)" has no export "(.*?)"/.exec(message) ?? []
  return foreignFix(module, name)
}

function patterns() {
  // The keys of the table are its codes.
  return (Object.entries(errorTable) as [ErrorCode, ErrorEntry][]).map(([code, { message, fix }]) => {
    const texts = message.split('%s')
    const pattern = new RegExp(
      `^${texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[\\s\\S]*')}$`,
    )
    return { code, fix, pattern, length: texts.join('').length }
  })
}

/** A message of React about a document that differs from what the browser rendered. */
export interface HydrationMismatch {
  /** React's sentence, without its list of possible reasons. */
  sentence: string
  diff: DevDiffLine[]
}

const LINK = 'https://react.dev/link/hydration-mismatch'
/** Components of Hydrant around those of the site. */
const OWN = /^\s*<(?:Committed|Boundary)\b.*>$/
/** Props that say nothing about the difference. */
const EMPTY_PROP = / [\w-]+=\{(?:undefined|null|\{\}|URL|function)\}/g
/** Lines above the first difference that are shown. */
const MAX_CONTEXT = 8

/** Reads React's message. Returns null for any other message. */
export function readHydrationMismatch(message: string): HydrationMismatch | null {
  const at = message.indexOf(LINK)
  if (at === -1) return null
  const lines = message
    .slice(at + LINK.length)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(toDiffLine)
    .filter(({ side, text }) => side !== 'both' || !OWN.test(text))
  const [sentence = ''] = /^.*?\.(?=\s|$)/.exec(message) ?? []
  return { sentence, diff: withoutIndent(nearChanges(lines)) }
}

// React marks lines of the browser with a plus and lines of the server with a minus.
function toDiffLine(line: string): DevDiffLine {
  const text = line.replace(/^[+-]/, ' ')
  if (line.startsWith('+')) return { side: 'browser', text }
  if (line.startsWith('-')) return { side: 'server', text }
  return { side: 'both', text: text.trimStart().startsWith('<') ? text.replace(EMPTY_PROP, '') : text }
}

/** Removes lines that are far above the first difference: React shows each component up to the root. */
function nearChanges(lines: readonly DevDiffLine[]): readonly DevDiffLine[] {
  const first = lines.findIndex(({ side }) => side !== 'both')
  const last = lines.findLastIndex(({ side }) => side !== 'both')
  if (first === -1) return lines
  return lines.slice(Math.max(0, first - MAX_CONTEXT), last + 4)
}

function withoutIndent(lines: readonly DevDiffLine[]): DevDiffLine[] {
  const indent = Math.min(...lines.map(({ text }) => text.length - text.trimStart().length))
  return lines.map(({ side, text }) => ({ side, text: text.slice(Math.min(indent, text.length)).trimEnd() }))
}
