import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { BUILD_HEADER, LAYOUTS_HEADER, type NavigationLine } from '../../shared/wire/navigation-protocol.ts'
import type { NavigationAnswer } from '../context/navigation-answer.ts'
import type { RequestContext } from '../context/request-context.ts'
import { limitCaching, removeCacheHeaders } from '../http/caching.ts'
import { sendOwn } from '../http/compression.ts'
import { addVary } from '../http/headers.ts'
import { dropPayload, dropResponse, NAVIGATION_CONTENT, replacementFor } from '../http/replaced-response.ts'
import { sendRawError } from './raw-response.ts'

/**
 * Some caches leave the query out of their key, and some read other headers before `Cache-Control`. nginx reads
 * `X-Accel-Expires`.
 */
const UNCACHED = {
  'cache-control': 'private, no-store',
  'cdn-cache-control': 'no-store',
  'surrogate-control': 'no-store',
  'x-accel-expires': '0',
}

/** The cache of a service worker stores any response. It reads `Vary`, and no other header. */
const VARIES = `${BUILD_HEADER}, ${LAYOUTS_HEADER}`

/**
 * Forbids every cache to store the response to a navigation, whatever a load, a hook or a middleware has set. A cache
 * could serve it in place of the page.
 */
export function keepFromCaches(reply: FastifyReply) {
  removeCacheHeaders(reply)
  reply.headers(UNCACHED)
  limitCaching(reply, 'no-store')
}

const sentByHydrant = new WeakSet<FastifyReply>()

/** Returns false for a response that a hook, a load or an action has sent with `reply.send()`. */
export function isSentByHydrant(reply: FastifyReply): boolean {
  return sentByHydrant.has(reply)
}

const sentCookies = new WeakMap<FastifyReply, string>()

/** Notes the cookies of a response to a navigation, when the hooks that may set cookies have run. */
export function noteCookies(reply: FastifyReply) {
  sentCookies.set(reply, readCookies(reply))
}

// The result is a text, because Fastify returns its own array and later appends to it.
function readCookies(reply: FastifyReply): string {
  return String(reply.getHeader('set-cookie'))
}

/**
 * Sets the headers of a response to a navigation. A response that was not marked here is replaced: see
 * `createSeal`.
 */
export function setNavigationHeaders({ site, reply }: Pick<RequestContext, 'site' | 'reply'>) {
  addVary(reply, VARIES)
  if (site.options.compress) addVary(reply, 'Accept-Encoding')
  // The header of a load is replaced before compression, which its `no-transform` would forbid.
  keepFromCaches(reply)
  reply.type(NAVIGATION_CONTENT)
  sentByHydrant.add(reply)
}

/** The response to a navigation. Lines are collected until `open` or `end`. */
export class NavigationStream implements NavigationAnswer {
  #ctx: RequestContext
  #text = ''
  #stream: Readable | null = null
  #isEnded = false

  constructor(ctx: RequestContext) {
    this.#ctx = ctx
  }

  get isOpen(): boolean {
    return this.#stream !== null
  }

  send(line: NavigationLine) {
    this.sendText(JSON.stringify(line))
  }

  sendText(line: string) {
    if (this.#isEnded) return
    if (this.#stream) this.#stream.push(`${line}\n`)
    else this.#text += `${line}\n`
  }

  endIfLate(): boolean {
    const { reply } = this.#ctx
    const sent = sentCookies.get(reply)
    // Hooks still run, so the headers have not been sent.
    if (!this.isOpen || this.#isEnded || sent === undefined || readCookies(reply) === sent) return this.#isEnded
    this.send(['load'])
    this.end()
    return true
  }

  sendExtras(level: number, extras: string) {
    this.sendText(`["data",${level + 1},${extras}]`)
  }

  open() {
    const { reply } = this.#ctx
    setNavigationHeaders(this.#ctx)
    this.#stream = new Readable({ read() {} })
    this.#stream.push(this.#text)
    this.#ctx.statusSent = reply.statusCode
    reply.header('x-accel-buffering', 'no')
    this.#sendBody(this.#stream)
  }

  end() {
    if (this.#isEnded) return
    this.#isEnded = true
    if (this.#stream) return void this.#stream.push(null)
    setNavigationHeaders(this.#ctx)
    this.#sendBody(this.#text)
  }

  replace(payload: unknown) {
    const { request, reply } = this.#ctx
    // The result of the action is among the lines, so the browser does not send the form again.
    this.send(replacementFor(request, reply) ?? ['load'])
    this.end()
    // After the hooks, the headers of the open response are set, with those of the compression.
    if (sentCookies.has(reply)) dropPayload(payload, reply)
    else dropResponse(payload, reply)
  }

  /** Ends the response to a navigation whose data is complete, and stores it if it may be stored. */
  endPage() {
    const { capture } = this.#ctx
    if (!this.#isEnded && !this.#stream && capture?.inRequest(() => capture.send(this.#text))) this.#isEnded = true
    else this.end()
  }

  #sendBody(body: string | Readable) {
    const { reply, hooksRun } = this.#ctx
    const send = () => this.#ctx.inRequest(() => sendOwn(body, reply))
    if (hooksRun === null) send()
    else void hooksRun.then(send, (error) => sendRawError(error, this.#ctx))
  }
}

/** Longer than any build's id, and short enough for a log line that clients can cause at will. */
const MAX_BUILD_LENGTH = 64

/**
 * Makes a page of another build load the document, because its scripts do not fit the data of this build. Returns false
 * for a page of this build.
 */
export function refuseOtherBuild(stream: NavigationAnswer, ctx: RequestContext): boolean {
  const build = ctx.request.headers[BUILD_HEADER]
  if (build === ctx.site.build.manifest.buildId) return false
  ctx.note(
    { build: String(build).slice(0, MAX_BUILD_LENGTH) },
    'the page is from another build, so it loads the document instead',
  )
  endWithLoad(stream)
  return true
}

/** Makes the open page load a document if the requested page has no scripts. Returns false for any other page. */
export function refuseWithoutScripts(stream: NavigationAnswer, { hasScripts }: RequestContext): boolean {
  if (!hasScripts) endWithLoad(stream)
  return !hasScripts
}

/** Makes the open page load a document. */
export function refuseNavigation(ctx: RequestContext) {
  endWithLoad(new NavigationStream(ctx))
}

function endWithLoad(stream: NavigationAnswer) {
  stream.send(['load'])
  stream.end()
}
