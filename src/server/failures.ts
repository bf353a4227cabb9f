import type { FastifyRequest } from 'fastify'
import { formatDigest } from '../shared/digest-format.ts'
import { createOccurrence, type Frame } from './digest.ts'
import { type Examined, examine, type Redactors, toKept, toLogged } from './examine.ts'
import { writeFailure } from './failure-line.ts'
import { publicAddress } from './host.ts'
import type { FailureRecord, Phase } from './ledger/ledger.ts'
import { createRedactor, hideForm } from './secrets.ts'
import type { MappedFrame, SourceMapper } from './source-map.ts'
import { userAgentClass } from './user-agent.ts'

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
  redact: Redactors
  first: Failure | null
  byThrown: Map<unknown, Named>
  byDigest: Map<string, Named>
}

interface Named extends Failure, Examined {
  isWritten: boolean
}

export interface FailuresInput {
  mapper: SourceMapper
  /** What is said to have failed: `HYDRANT_RELEASE`, or the build's id. */
  release: string
  /** Takes each failure once its line is written. */
  keep(failure: FailureRecord): void
}

export function createFailures({ mapper, release, keep }: FailuresInput): Failures {
  const requests = new WeakMap<FastifyRequest, RequestFailures>()

  function failuresOf(request: FastifyRequest): RequestFailures {
    const known = requests.get(request)
    if (known) return known
    const hide = createRedactor(request.headers)
    const redact: Redactors = {
      frame: hide,
      // A form has no business in frames, and what stands there must not depend on what a visitor sends.
      message: (text) => hide(hideForm(text, request.body)),
    }
    const created = { occurrence: createOccurrence(), redact, first: null, byThrown: new Map(), byDigest: new Map() }
    requests.set(request, created)
    return created
  }

  // The same failure comes here more than once: from React's `onError` and `onShellError`, from a deferred promise
  // and from the component that reads it, from a layout that is rendered again around the fallback.
  function name(thrown: unknown, { request, route }: FailureSubject, details: FailureDetails): Named {
    const own = failuresOf(request)
    const known = own.byThrown.get(thrown)
    if (known) return known
    const examined = examine(thrown, mapper, own.redact, () => framesOfPlace(route, details, mapper))
    const digest = formatDigest(examined.cause, own.occurrence)
    const named = own.byDigest.get(digest) ?? { digest, status: statusOf(thrown), ...examined, isWritten: false }
    own.byThrown.set(thrown, named)
    own.byDigest.set(digest, named)
    return named
  }

  function fail(thrown: unknown, subject: FailureSubject, details: FailureDetails): Failure {
    const named = name(thrown, subject, details)
    if (named.isWritten) return named
    named.isWritten = true
    const { request, route } = subject
    const own = failuresOf(request)
    own.first ??= named
    const { phase, statusSent } = details
    const { digest, cause, error } = named
    const pending = pendingOf(details, mapper)
    const { method } = request
    const url = own.redact.frame(request.originalUrl)
    const { host } = publicAddress(request)
    const line = {
      ...{ digest, side: 'server' as const, phase, route, method, url, host },
      ...(statusSent === undefined ? {} : { statusSent }),
      ...pending,
      err: toLogged(error, own.redact),
    }
    writeFailure(line, request)
    keep({
      ...{ digest, cause, side: 'server', phase, route, method, host, release },
      time: Date.now(),
      message: error.message,
      error: toKept(error, mapper, own.redact),
      path: url.replace(/[?#].*$/s, ''),
      requestId: request.id,
      userAgent: userAgentClass(request.headers['user-agent']),
      statusSent: statusSent ?? named.status,
      isRecovered: false,
      ...pending,
    })
    return named
  }

  function alias(substitute: unknown, thrown: unknown, { request }: FailureSubject) {
    const { byThrown } = failuresOf(request)
    const named = byThrown.get(thrown)
    if (named) byThrown.set(substitute, named)
  }

  const firstOf = (request: FastifyRequest) => requests.get(request)?.first ?? null
  return { fail, name, firstOf, alias, redact: (text, request) => failuresOf(request).redact.frame(text) }
}

// What the deadline found unfinished: `Reviews (pages/products/[id].tsx:31:10)`
function pendingOf({ pending, pendingComponents = [] }: FailureDetails, { mapFrame }: SourceMapper) {
  if (pending === undefined) return {}
  const places = pendingComponents.map((stack) => {
    const frames = stack.split('\n').filter(Boolean).map(mapFrame)
    const place = frames.find(({ frame }) => frame?.isSite) ?? frames[0]
    return place ? place.text.replace(/^\s*at /, '') : 'a component'
  })
  return { pending: [...pending, ...places] }
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
  { mapFrame }: SourceMapper,
): MappedFrame[] {
  const components = (componentStack ?? '').split('\n').filter(Boolean).map(mapFrame)
  if (components.some(({ frame }) => frame?.isSite)) return components
  const { file, function: name } = place ?? { file: route, function: '' }
  const text = place ? `    at ${name} (${file})` : `    at route ${route}`
  return [{ text, frame: { file, line: 0, column: 0, function: name, isSite: true } }]
}
