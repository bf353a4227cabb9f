import { setMaxListeners } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { splitAction } from '../../shared/paths.ts'
import type { ExtraProps } from '../../shared/wire/boot.ts'
import type { Refusal } from '../../shared/wire/public-error.ts'
import type { Route } from '../build-output/load-build.ts'
import type { PageAction } from '../build-output/module-exports.ts'
import { narrowSearch } from '../cache/cache-key.ts'
import { classifyThrown } from '../errors/classify-thrown.ts'
import type { Redirection } from '../errors/http-error.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Failure, FailureContext, FailureSubject } from '../failures/failure-context.ts'
import { asError, type HookRun, runErrorHooks } from '../failures/on-error-hooks.ts'
import { firstFailureOf, type NamedFailure } from '../failures/request-failures.ts'
import { nameOption } from '../forms/limits.ts'
import { describeEarlyClose } from '../guards/connection-limits.ts'
import { isSafe } from '../guards/csrf.ts'
import { FORMATS, type Format } from '../http/formats.ts'
import { nonceOf } from '../http/headers.ts'
import { isNavigation } from '../http/navigation-strategy.ts'
import { acceptedDocumentFormat, preferredErrorFormat, preferredPageFormat } from '../http/negotiate.ts'
import { type RequestTimes, timesOf } from '../http/request-times.ts'
import { type PublicAddress, pathAndQuery, pathOf, publicAddress } from '../http/request-url.ts'
import { routeOf } from '../http/route-config.ts'
import type { NavigationLines, SharedRender } from './response.ts'
import type { Site } from './site.ts'

/** What a request asks for. */
export interface RequestTarget {
  /** The site's route (`/products/[id]`); `*` for a path without a page. */
  route: string
  format: Format
  /** The format of an error (that of the page). */
  errorFormat?: Format
  params: Record<string, string>
  /** False for a page without scripts: see the export `hydrate`. */
  hasScripts: boolean
}

/** The promises of the thenables in the data of one request. */
export type ThenablePromises = WeakMap<PromiseLike<unknown>, Promise<unknown>>

/** A failure that has its digest. Its line is written once, by the first `write`. */
export interface UnwrittenFailure extends Failure {
  write(details: FailureContext): Failure
}

/** One request for a page, until the last byte of its response. */
export class RequestContext implements FailureSubject, RequestTarget {
  readonly site: Site
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly route: string
  readonly format: Format
  readonly errorFormat: Format
  readonly params: Record<string, string>
  readonly hasScripts: boolean
  /** The origin at which the visitor sees the site. */
  readonly address: PublicAddress
  /** The path of the request, as it was sent. */
  readonly path: string
  /** The query with its question mark, or an empty string. A page may see only some of its parameters. */
  search: string
  /**
   * Set while a response is made that may be stored for all visitors; null for any other. The render continues if the
   * client leaves, because other requests may wait for it.
   */
  shared: SharedRender | null = null
  /** True when the client left before the response was complete. */
  isGone = false
  /** The status that has been sent, once a document streams. A later failure can only be shown inside the stream. */
  statusSent: number | null = null
  /** The reply that the request has got a stale response with, for a render in the background; null for any other. */
  staleReply: FastifyReply | null = null
  /** The times of the request; those of a render in the background, which no visitor waits for, are its own. */
  times: RequestTimes
  /** The response, when a page of this site asks for data in place of a document. */
  navigation: NavigationLines | null = null
  /** The action that the address selects; null without one. */
  action: PageAction | null = null
  /** True when the response lasts until the client leaves. */
  isEndless = false
  /** True when all guards of the page, or of the unknown path, have let the request pass. */
  hasPassedGuards = false
  /** The output of the page's schemas `params` and `search`; null without one. */
  addressExtras: Pick<ExtraProps, 'params' | 'search'> | null = null
  /** The mark of the visitor, once `findVisitor` has asked for it; null for a response that says nothing. */
  visitor: string | null = null
  /** The position of a live page, before its loads run; null for any other. */
  live: string | null = null
  /** True when a part of the response was refused. */
  isRefused = false
  /** True while the request holds a render slot. */
  hasSlot = false
  #inRequest: SharedRender['inRequest'] | null = null
  #guardResults: Record<string, unknown> | null = null
  #url: URL | null = null
  #nonce: string | null = null
  #promises: ThenablePromises | null = null
  #lateRedirects: Map<Redirection, Error> | null = null
  #refusals: Set<unknown> | null = null
  #controller: AbortController | null = null
  /** The reason of the abort of `signal`; undefined before. */
  abortReason: unknown
  #onLeave: (() => void) | null = null
  #failed: Set<NamedFailure> | null = null
  #hooks: HookRun | null = null

  constructor(site: Site, request: FastifyRequest, reply: FastifyReply, target: RequestTarget) {
    const { route, format, errorFormat = format, params, hasScripts } = target
    this.site = site
    this.request = request
    this.reply = reply
    this.route = route
    this.format = format
    this.errorFormat = errorFormat
    this.params = params
    this.hasScripts = hasScripts
    this.address = publicAddress(request)
    const asked = pathAndQuery(request.url)
    this.path = pathOf(asked)
    this.search = asked[this.path.length] === '?' ? asked.slice(this.path.length) : ''
    this.times = timesOf(request)
  }

  /** Begins to make a response that may be stored. */
  share(shared: SharedRender) {
    this.shared = shared
    // The work that it starts may still fail after it has been given up.
    this.#inRequest = shared.inRequest
  }

  /** The merged results of the guards that have run. It has no prototype, so it contains nothing else. */
  get guardResults(): Record<string, unknown> {
    // `Object.create` is typed as `any`.
    this.#guardResults ??= Object.create(null) as Record<string, unknown>
    return this.#guardResults
  }

  /** Aborts when the client leaves or a deadline passes. */
  get signal(): AbortSignal {
    this.#controller ??= createController()
    return this.#controller.signal
  }

  /** Whether code of the site has read `signal`. */
  get isSignalRead(): boolean {
    return this.#controller !== null
  }

  /** The request's first failure. Every fallback of the response shows its digest. A render in the background has its own. */
  get firstFailure(): Failure | null {
    return this.staleReply ? (this.#failed?.values().next().value ?? null) : firstFailureOf(this.request)
  }

  /** Number of different failures of this response so far: a render in the background has its own. */
  get failureCount(): number {
    return this.#failed?.size ?? 0
  }

  /** The promises of the thenables in the data. */
  get promises(): ThenablePromises {
    this.#promises ??= new WeakMap()
    return this.#promises
  }

  /** The page's address as the visitor sees it. */
  get href(): string {
    return this.address.origin + this.path + this.search
  }

  /** The page's address, parsed when it is first read. */
  get url(): URL {
    this.#url ??= new URL(this.href)
    return this.#url
  }

  /** The nonce of the document's scripts. A second render uses the same one: only one document is sent. */
  get nonce(): string {
    this.#nonce ??= nonceOf(this.reply)
    return this.#nonce
  }

  /**
   * Records a failure: gives it its digest, writes its log line, and starts the `onError` hooks. Returns that
   * failure.
   */
  fail(thrown: unknown, details: FailureContext): Failure {
    return this.name(thrown, details).write(details)
  }

  /** Records a failure like `fail`. Returns the one that the response shows: the request's first failure. */
  failResponse(thrown: unknown, details: FailureContext): Failure {
    const earlier = this.firstFailure
    const failure = this.fail(thrown, details)
    return earlier ?? failure
  }

  /**
   * Resolves when the `onError` hooks are done; null when none is running. Fastify sends nothing while they run.
   * Rejects with HYD_HOOK_TIMEOUT.
   */
  get hooksRun(): Promise<void> | null {
    return this.#hooks?.wait(this.site.failures.maxHooksMs) ?? null
  }

  /** Gives a failure its digest. `write` does the rest of `fail`, when more is known of the failure. */
  name(thrown: unknown, details: FailureContext): UnwrittenFailure {
    const failure = this.site.failures.of(this.request).name(thrown, this, this.#inTime(details))
    const { digest, status } = failure
    return { digest, status, write: (written) => this.#write(failure, thrown, written) }
  }

  /** Returns an error to reject with in place of a value that React must not see. See `withSafePromises`. */
  substitute(thrown: unknown, details: FailureContext): Error {
    const kind = classifyThrown(thrown)
    if (kind.kind === 'redirect') return this.lateRedirect(kind.redirection)
    // After an abort a load may reject with anything; that is no failure of its own.
    if (this.abortReason === undefined) this.fail(thrown, details)
    const substitute = new Error('The thrown value cannot be inspected.')
    this.site.failures.of(this.request).alias(substitute, thrown)
    return substitute
  }

  /**
   * Returns HYD_REDIRECT_LATE for a redirect that came after the document had begun; always the same error for one
   * redirect.
   */
  lateRedirect(redirection: Redirection): Error {
    this.#lateRedirects ??= new Map()
    const earlier = this.#lateRedirects.get(redirection)
    if (earlier) return earlier
    const error = createHydrantError('HYD_REDIRECT_LATE', ['by a deferred promise or a component'])
    this.#lateRedirects.set(redirection, error)
    return error
  }

  /**
   * Logs a refusal, once: a deferred promise and the component that reads it throw the same value. A render in the
   * background logs none, because no visitor reads it.
   */
  noteRefusal(thrown: unknown, { status, message }: Refusal) {
    this.#refusals ??= new Set()
    this.isRefused = true
    if (this.staleReply || this.#refusals.has(thrown)) return
    this.#refusals.add(thrown)
    this.note({ statusCode: status }, `refused with ${status}: ${message}${nameOption(thrown)}`)
  }

  /** Logs at info, for events that are no failures. */
  note(details: object, message: string) {
    const { request, route } = this
    const failures = this.site.failures.of(request)
    const line = { route, method: request.method, url: failures.redactedUrl(), ...details }
    this.inRequest(() => request.log.info(line, failures.redaction.inMessage(message)))
  }

  /**
   * Calls code that is for this visitor only, such as hooks, in the async context of the request. A response that may be
   * stored is made outside of it.
   */
  inRequest<Result>(work: () => Result): Result {
    return this.#inRequest ? this.#inRequest(work) : work()
  }

  /** Aborts `signal`, which loads and the render were given. */
  abort(reason: unknown) {
    this.abortReason = reason
    this.#controller?.abort(reason)
  }

  /** After an abort, gives the loads of the layouts around an error page a new signal. */
  renewSignal() {
    this.abortReason = undefined
    this.#controller = null
  }

  /** Aborts, and calls `onLeave`, when the client leaves. A second call replaces the first `onLeave`. */
  watchLeaving(onLeave = () => {}) {
    const { raw } = this.reply
    const isWatched = this.#onLeave !== null
    this.#onLeave = onLeave
    if (isWatched) return
    // The client may have left while hooks of `server.ts` were running.
    if (raw.closed) this.#checkLeaving()
    else raw.once('close', () => this.#checkLeaving())
  }

  #write(failure: NamedFailure, thrown: unknown, details: FailureContext): Failure {
    this.#failed ??= new Set()
    this.#failed.add(failure)
    this.inRequest(() => {
      failure.write(this, this.#inTime(details))
      if (this.#hooks) return
      const error = asError(thrown)
      if (error !== thrown) this.site.failures.of(this.request).alias(error, thrown)
      this.#hooks = runErrorHooks(error, this.reply)
    })
    return failure
  }

  #inTime(details: FailureContext): FailureContext {
    if (this.staleReply) return { ...details, isInBackground: true, statusSent: this.staleReply.statusCode }
    const { raw } = this.reply
    // A hook may have changed the status after `statusSent` was set.
    const statusSent = raw.headersSent ? raw.statusCode : this.statusSent
    if (statusSent === null) return details
    const phase = this.navigation || details.isLate ? details.phase : 'stream'
    return { ...details, phase, statusSent }
  }

  // `close` of the response means that the client left; `close` of the request does not.
  #checkLeaving() {
    if (this.reply.raw.writableEnded || this.shared || this.isEndless) return
    this.isGone = true
    this.note({}, describeEarlyClose(this.request))
    this.abort(new DOMException('The client disconnected.', 'AbortError'))
    this.#onLeave?.()
  }
}

function createController(): AbortController {
  const controller = new AbortController()
  // A load may pass the signal to many queries. Node warns of a leak at the eleventh listener.
  setMaxListeners(0, controller.signal)
  return controller
}

// How the context of a request is created.

const NO_PARAMS: Record<string, string> = {}
/** The parts of a context without a page. */
const NO_PAGE = { route: '*', params: NO_PARAMS, hasScripts: true }

/** Creates the context of a request for a page. */
export function createPageContext(route: Route, site: Site, request: FastifyRequest, reply: FastifyReply) {
  const preferred = formatOf(site, request)
  // An action may return data for any page.
  const hasNoData = FORMATS[preferred].isData && route.page.load === null && isSafe(request.method)
  const ctx = new RequestContext(site, request, reply, {
    route: route.id,
    format: hasNoData ? acceptedDocumentFormat(request.headers, site.options.markdown) : preferred,
    errorFormat: preferred,
    // Fastify has decoded the parameters once; all are strings.
    params: route.catchAll === null ? (request.params as Record<string, string>) : paramsOf(route.catchAll, request),
    hasScripts: route.isHydrated,
  })
  if (route.actions.size > 0) Object.assign(ctx, selectAction(route, ctx.search))
  // Also without a cache and for an action, so that the loads and schemas of the page see the same query each time.
  if (route.cache) ctx.search = narrowSearch(ctx.search, route.cache.search)
  noteLive(route, ctx)
  return ctx
}

/** Notes the position of a live page. What is published from now on makes it refresh. */
export function noteLive(route: Route, ctx: RequestContext) {
  if (route.isLive && ctx.site.live) ctx.live = ctx.site.live.position()
}

/** Returns the action that a query selects, and the query that the page sees. */
export function selectAction({ actions }: Pick<Route, 'actions'>, query: string) {
  const { name, search } = actions.has('') ? { name: '', search: query } : splitAction(query)
  return { action: actions.get(name) ?? null, search }
}

/** Returns the format that the client prefers for a page. */
export function formatOf({ options }: Site, request: FastifyRequest): Format {
  return isNavigation(request) ? 'navigation' : preferredPageFormat(request.headers, options.markdown)
}

const waiting = new WeakMap<FastifyRequest, RequestContext>()

/** Keeps the context of a request whose guards have run, for the handler that comes after the body has been read. */
export function keepPageContext(ctx: RequestContext) {
  waiting.set(ctx.request, ctx)
}

/** Returns the context that has been kept for a request for a page, or creates it. */
export function takePageContext(route: Route, site: Site, request: FastifyRequest, reply: FastifyReply) {
  const kept = waiting.get(request)
  waiting.delete(request)
  return kept ?? createPageContext(route, site, request, reply)
}

/** Creates the context of a request for a path without a page. */
export function createNotFoundContext(site: Site, request: FastifyRequest, reply: FastifyReply) {
  return new RequestContext(site, request, reply, { ...NO_PAGE, format: formatOf(site, request) })
}

/** Creates the context of a request to a route of the app or of `server.ts`, whose error Hydrant responds with. */
export function createRouteContext(site: Site, request: FastifyRequest, reply: FastifyReply) {
  const route = routeOf(request)
  const format = preferredErrorFormat(request.headers)
  return new RequestContext(site, request, reply, { ...NO_PAGE, route, format })
}

/** Creates the context of a navigation to something other than a page. */
export function createNavigationContext(site: Site, request: FastifyRequest, reply: FastifyReply) {
  return new RequestContext(site, request, reply, { ...NO_PAGE, format: 'navigation' })
}

function paramsOf(catchAll: string, request: FastifyRequest): Record<string, string> {
  const { '*': rest = '', ...others } = request.params as Record<string, string>
  return { ...others, [catchAll]: rest }
}
