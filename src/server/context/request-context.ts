import { setMaxListeners } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { NavigationLine } from '../../shared/wire/navigation-protocol.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Failure, FailureContext } from '../failures/failure-context.ts'
import type { Failures } from '../failures/failures.ts'
import { asError, type HookRun, runErrorHooks } from '../failures/on-error-hooks.ts'
import { failureCountOf, type NamedFailure } from '../failures/request-failures.ts'
import { nonceOf } from '../http/headers.ts'
import { type PublicAddress, publicAddress } from '../http/public-address.ts'
import { pathAndQuery } from '../http/request-url.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import type { Redirection } from '../thrown/http-error.ts'

/** The lines that answer a navigation. */
export interface NavigationAnswer {
  /** True once lines go out as they are sent. */
  readonly isOpen: boolean
  send(line: NavigationLine): void
  /** Sends a line that is JSON already. */
  sendText(line: string): void
  /**
   * Ends the response when a load has set a cookie after the headers went out, before anything is shown that belongs to
   * that cookie: the page then loads the document. Returns whether the response has ended.
   */
  endIfLate(): boolean
  /**
   * Sends what the action returned.
   *
   * @param level Number of layouts around the page.
   * @param data JSON that `serialiseActionData` wrote.
   */
  sendActionData(level: number, data: string): void
  /** Sends the collected lines, and from then on each line as it comes. */
  open(): void
  end(): void
}

/** A failure that has its digest. Its line is written once, by the first `write`. */
export interface UnwrittenFailure extends Failure {
  write(details: FailureContext): Failure
}

/** One request for a page, from its first load to its last byte. */
export class RequestContext {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The site's route: `/products/[id]`. */
  readonly route: string
  /** Where the visitor sees the site. */
  readonly address: PublicAddress
  /** Has the visitor gone before the answer was complete? */
  isGone = false
  /** The status that has gone out, once the document streams: what fails from then on fails within the stream. */
  statusSent: number | null = null
  /** The lines that answer it, when a page of ours asks for data instead of a document. */
  navigation: NavigationAnswer | null = null
  /** The first failure, whose digest is what every fallback of this request shows. */
  firstFailure: Failure | null = null
  /** Does it count among the pages that are being made? */
  hasSlot = false
  #failures: Failures
  #url: URL | null = null
  #nonce: string | null = null
  #lateRedirects: Map<Redirection, Error> | null = null
  #controller: AbortController | null = null
  #isAborted = false
  #onLeave: (() => void) | null = null
  #hooks: HookRun | null = null

  constructor(request: FastifyRequest, reply: FastifyReply, route: string, failures: Failures) {
    this.request = request
    this.reply = reply
    this.route = route
    this.address = publicAddress(request)
    this.#failures = failures
  }

  /** Aborts when the visitor is gone or a deadline has passed. */
  get signal(): AbortSignal {
    this.#controller ??= createController()
    return this.#controller.signal
  }

  /** How many different failures there have been. */
  get failureCount(): number {
    return failureCountOf(this.request)
  }

  /** The page's address as the visitor sees it. */
  get href(): string {
    return this.address.origin + pathAndQuery(this.request.url)
  }

  /** The address, parsed when somebody asks for it. */
  get url(): URL {
    this.#url ??= new URL(this.href)
    return this.#url
  }

  /** Of the scripts in its document. What is rendered again has it again: only one document goes out. */
  get nonce(): string {
    this.#nonce ??= nonceOf(this.reply)
    return this.#nonce
  }

  /** The query, with its question mark, or empty. */
  get search(): string {
    const at = this.request.url.indexOf('?')
    return at === -1 ? '' : this.request.url.slice(at)
  }

  /** Gives a failure its digest, writes its line, and has `onError` hooks run. */
  fail(thrown: unknown, details: FailureContext): Failure {
    return this.name(thrown, details).write(details)
  }

  /** Null when nothing has to wait for `onError` hooks. While they run, Fastify sends nothing. Rejects: see `Telling`. */
  get hooksRun(): Promise<void> | null {
    return this.#hooks?.wait(this.#failures.maxHooksMs) ?? null
  }

  /** Gives a failure its digest. `write` does the rest of `fail`, when more is known of the failure. */
  name(thrown: unknown, details: FailureContext): UnwrittenFailure {
    const failure = this.#failures.of(this.request).name(thrown, this, this.#inTime(details))
    const { digest, status } = failure
    return { digest, status, write: (written) => this.#write(failure, thrown, written) }
  }

  /** An error to go on with, for what must not be thrown as it is: see `guardPromises`. */
  substitute(thrown: unknown, details: FailureContext): Error {
    const meaning = classifyThrown(thrown)
    if (meaning.kind === 'redirect') return this.lateRedirect(meaning.redirection)
    // What has been told to stop does so in whatever way it likes.
    if (!this.#isAborted) this.fail(thrown, details)
    const substitute = new Error('The thrown value cannot be inspected.')
    this.#failures.of(this.request).alias(substitute, thrown)
    return substitute
  }

  /** What a redirect is that came when the document had begun: the same error each time it is met. */
  lateRedirect(redirection: Redirection): Error {
    this.#lateRedirects ??= new Map()
    const known = this.#lateRedirects.get(redirection)
    if (known) return known
    const error = createHydrantError('HYD_REDIRECT_LATE', ['by a deferred promise or a component'])
    this.#lateRedirects.set(redirection, error)
    return error
  }

  /** Logs what is no failure, at info. */
  note(details: object, message: string) {
    const { request, route } = this
    const failures = this.#failures.of(request)
    const line = { route, method: request.method, url: failures.redactedUrl(), ...details }
    request.log.info(line, failures.redaction.inMessage(message))
  }

  /** Tells loads and render to stop. */
  abort(reason: unknown) {
    this.#isAborted = true
    this.#controller?.abort(reason)
  }

  /** After an abort: what runs from now on, around what is shown, has a signal of its own. */
  renewSignal() {
    this.#isAborted = false
    this.#controller = null
  }

  /** From now on the visitor's leaving aborts; `onLeave` replaces the one before. */
  watchLeaving(onLeave = () => {}) {
    const { raw } = this.reply
    const isWatched = this.#onLeave !== null
    this.#onLeave = onLeave
    if (isWatched) return
    // Hooks of `server.ts` may have taken longer than the visitor stayed.
    if (raw.closed) this.#checkLeaving()
    else raw.once('close', () => this.#checkLeaving())
  }

  #write(failure: NamedFailure, thrown: unknown, details: FailureContext): Failure {
    failure.write(this, this.#inTime(details))
    this.firstFailure ??= failure
    this.#tellHooks(thrown)
    return failure
  }

  #tellHooks(thrown: unknown) {
    if (this.#hooks) return
    const error = asError(thrown)
    if (error !== thrown) this.#failures.of(this.request).alias(error, thrown)
    this.#hooks = runErrorHooks(error, this.request, this.reply)
  }

  #inTime(details: FailureContext): FailureContext {
    if (this.statusSent === null) return details
    const phase = this.navigation ? details.phase : 'stream'
    return { ...details, phase, statusSent: this.statusSent }
  }

  // The closing of the response, not of the request, says that the visitor has gone.
  #checkLeaving() {
    if (this.reply.raw.writableEnded) return
    this.isGone = true
    this.note({}, 'the client disconnected before the response was complete')
    this.abort(new DOMException('The client disconnected.', 'AbortError'))
    this.#onLeave?.()
  }
}

function createController(): AbortController {
  const controller = new AbortController()
  // Each query of a load may be given it: Node warns of a leak with the eleventh.
  setMaxListeners(0, controller.signal)
  return controller
}
