import type { FastifyRequest } from 'fastify'
import { formatDigest } from '../shared/digest-format.ts'
import type { Side } from '../shared/page-types.ts'
import { type Description, describe } from './describe.ts'
import { causeOf, createOccurrence, type Frame } from './digest.ts'
import { publicAddress } from './host.ts'
import { createRedactor, hideForm } from './secrets.ts'
import type { MappedFrame, SourceMapper } from './source-map.ts'

/** Where in the life of a request it failed. */
export type Phase = 'load' | 'action' | 'render' | 'stream' | 'route'

/** The request that a failure belongs to. */
export interface FailureSubject {
  request: FastifyRequest
  /** The site's route, as the developer writes it: `/products/[id]`. */
  route: string
}

export interface FailureDetails {
  phase: Phase
  /** The status that has gone out already, for a failure within a stream. */
  statusSent?: number
  /** What the deadline found unfinished. */
  pending?: readonly string[]
  /** React's stacks of the components that it found unfinished. */
  pendingComponents?: readonly string[]
  /** Where it happened, for what carries no stack of its own: a file of the site and a function in it. */
  place?: Frame
  /** React's stack of components. */
  componentStack?: string
}

export interface Failure {
  digest: string
  /** 504 for a deadline that passed, else 500. */
  status: number
}

export interface Failures {
  /** Every failure passes here: it gets its digest, one log line, and what may be shown of it. Never throws. */
  fail(thrown: unknown, subject: FailureSubject, details: FailureDetails): Failure
  /** The request's first failure, which is the one that is shown. */
  firstOf(request: FastifyRequest): Failure | null
  /** Another value that stands for one which has failed: no failure of its own. */
  alias(substitute: unknown, thrown: unknown, subject: FailureSubject): void
  /** Removes the request's secrets from a text for the log. */
  redact(text: string, request: FastifyRequest): string
  /** The digest alone, for a failure whose line can only be written a moment later: `fail` has to follow. */
  name(thrown: unknown, subject: FailureSubject, details: FailureDetails): Failure
}

interface RequestFailures {
  occurrence: string
  redact: (text: string) => string
  first: Failure | null
  byThrown: Map<unknown, Named>
  byDigest: Map<string, Named>
}

interface Named extends Failure {
  error: LoggedError
  isWritten: boolean
}

interface Redactors {
  message(text: string): string
  frame(text: string): string
}

/** What a log line tells of an error. */
interface LoggedError {
  type: string
  message: string
  stack: string
  digest?: string
  cause?: LoggedError
  errors?: LoggedError[]
}

export function createFailures({ mapFrame, mapName }: SourceMapper): Failures {
  const requests = new WeakMap<FastifyRequest, RequestFailures>()

  function failuresOf(request: FastifyRequest): RequestFailures {
    const known = requests.get(request)
    if (known) return known
    const redact = createRedactor(request.headers)
    const created = { occurrence: createOccurrence(), redact, first: null, byThrown: new Map(), byDigest: new Map() }
    requests.set(request, created)
    return created
  }

  // The same failure comes here more than once: from React's `onError` and `onShellError`, from a deferred promise
  // and from the component that reads it, from a layout that is rendered again around the fallback.
  function name(thrown: unknown, subject: FailureSubject, details: FailureDetails): Named {
    const own = failuresOf(subject.request)
    const known = own.byThrown.get(thrown)
    if (known) return known
    const { cause, error } = examine(thrown, subject, details, {
      frame: own.redact,
      // A form has no business in frames, and what stands there must not depend on what a visitor sends.
      message: (text) => own.redact(hideForm(text, subject.request.body)),
    })
    const digest = formatDigest(cause, own.occurrence)
    const named = own.byDigest.get(digest) ?? { digest, status: statusOf(thrown), error, isWritten: false }
    own.byThrown.set(thrown, named)
    own.byDigest.set(digest, named)
    return named
  }

  function fail(thrown: unknown, subject: FailureSubject, details: FailureDetails): Failure {
    const named = name(thrown, subject, details)
    if (named.isWritten) return named
    named.isWritten = true
    const own = failuresOf(subject.request)
    own.first ??= named
    const { pending, pendingComponents = [] } = details
    const places = pendingComponents.map((stack) => componentPlace(stack, mapFrame))
    write(named, subject, details, pending && [...pending, ...places], own.redact)
    return named
  }

  function examine(thrown: unknown, { route }: FailureSubject, details: FailureDetails, redact: Redactors) {
    try {
      const described = describe(thrown)
      // An error that takes its name from its class has the name that bundling gave the class.
      const description = { ...described, type: mapName(described.type) || described.type }
      const frames = description.frames.map(mapFrame)
      const extra = frames.some((frame) => frame.site) ? [] : framesOfPlace(route, details, mapFrame)
      const siteFrames = [...extra, ...frames].flatMap((frame) => frame.site ?? [])
      const cause = causeOf({ type: description.type, message: description.message, frames: siteFrames })
      return { cause, error: toLogged(description, [...extra, ...frames], mapFrame, redact) }
    } catch (error) {
      // The path of failures failed itself: say both, as far as they can be said, under a digest of its own.
      const { type, message } = describe(error)
      const cause = causeOf({ type: 'FailurePath', message: type, frames: [] })
      return { cause, error: { type: 'FailurePath', message: `while a failure was examined: ${message}`, stack: '' } }
    }
  }

  function alias(substitute: unknown, thrown: unknown, { request }: FailureSubject) {
    const { byThrown } = failuresOf(request)
    const named = byThrown.get(thrown)
    if (named) byThrown.set(substitute, named)
  }

  const firstOf = (request: FastifyRequest) => requests.get(request)?.first ?? null
  return { fail, name, firstOf, alias, redact: (text, request) => failuresOf(request).redact(text) }
}

// `Reviews (pages/products/[id].tsx:31:10)`
function componentPlace(stack: string, mapFrame: SourceMapper['mapFrame']): string {
  const frames = stack.split('\n').filter(Boolean).map(mapFrame)
  const frame = frames.find(({ site }) => site) ?? frames[0]
  return frame ? frame.text.replace(/^\s*at /, '') : 'a component'
}

function write(
  { digest, error: err }: Named,
  subject: FailureSubject,
  details: FailureDetails,
  pending: readonly string[] | undefined,
  redact: (text: string) => string,
) {
  const { request, route } = subject
  const { phase, statusSent } = details
  const side: Side = 'server'
  const line = {
    digest,
    side,
    phase,
    route,
    method: request.method,
    url: redact(request.originalUrl),
    host: publicAddress(request).host,
    ...(statusSent === undefined ? {} : { statusSent }),
    ...(pending === undefined ? {} : { pending }),
    err,
  }
  const text = `${err.type}: ${err.message}`
  // An app without a logger still must not give out a digest that nobody can look up.
  if (isSilent(request.log))
    process.stderr.write(`${JSON.stringify({ level: 50, reqId: request.id, ...line, msg: text })}\n`)
  // Pino's own way with errors would fold the causes into the message.
  else request.log.child({}, { serializers: { err: (error: unknown) => error } }).error(line, text)
}

// Fastify's logger of an app without one has the methods, but no level.
function isSilent(log: FastifyRequest['log']): boolean {
  return !('level' in log)
}

function statusOf(thrown: unknown): number {
  const { code } = describeCode(thrown)
  return TIMEOUTS.includes(code) ? 504 : 500
}

const TIMEOUTS: readonly unknown[] = ['HYD_LOAD_TIMEOUT', 'HYD_ACTION_TIMEOUT', 'HYD_RENDER_TIMEOUT']

function describeCode(thrown: unknown): { code?: unknown } {
  try {
    return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? { code: thrown.code } : {}
  } catch {
    return {}
  }
}

function framesOfPlace(
  route: string,
  { place, componentStack }: FailureDetails,
  mapFrame: SourceMapper['mapFrame'],
): MappedFrame[] {
  const components = (componentStack ?? '').split('\n').filter(Boolean).map(mapFrame)
  if (components.some((frame) => frame.site)) return components
  if (place) return [{ text: `    at ${place.function} (${place.file})`, site: place }]
  return [{ text: `    at route ${route}`, site: { file: route, function: '' } }]
}

function toLogged(
  description: Description,
  frames: readonly MappedFrame[],
  mapFrame: SourceMapper['mapFrame'],
  redact: Redactors,
): LoggedError {
  const { type, ownDigest, cause, errors } = description
  const message = shorten(redact.message(description.message))
  const nested = (inner: Description) => toLogged(inner, inner.frames.map(mapFrame), mapFrame, redact)
  return {
    type,
    message,
    stack: [`${type}: ${message}`, ...frames.map((frame) => redact.frame(frame.text))].join('\n'),
    ...(ownDigest === undefined ? {} : { digest: redact.message(ownDigest) }),
    ...(cause === undefined ? {} : { cause: nested(cause) }),
    ...(errors === undefined ? {} : { errors: errors.map(nested) }),
  }
}

const MAX_LOGGED_MESSAGE = 2_000

// Keeps the remark at the end that says how long the message was.
function shorten(message: string): string {
  if (message.length <= MAX_LOGGED_MESSAGE) return message
  return message.slice(0, MAX_LOGGED_MESSAGE) + (/… \(\d+ characters\)$/.exec(message)?.[0] ?? '…')
}
