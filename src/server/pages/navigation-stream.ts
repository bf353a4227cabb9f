import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { bootText } from '../../shared/wire/boot.ts'
import {
  BUILD_HEADER,
  countKept,
  LAYOUTS_HEADER,
  NAVIGATION_TYPE,
  type NavigationLine,
} from '../../shared/wire/navigation-protocol.ts'
import type { NavigationAnswer, RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { isForSomeCaches, limitCaching } from '../http/caching.ts'
import { sendOwn } from '../http/compression.ts'
import { addVary } from '../http/headers.ts'
import { createDataWriter, type Deferred } from '../render/deferred-data.ts'
import { startDeadline } from '../util/deadline.ts'
import { createLoadContext, type LoadStep, type Loads, runLoads } from './loads.ts'
import { sendRawError } from './raw-response.ts'
import type { DocumentPlan } from './render-page.ts'

export const NAVIGATION_CONTENT = `${NAVIGATION_TYPE}; charset=utf-8`

/** Some caches leave the query out of their key, and some read other headers first. `X-Accel-Expires` is nginx's. */
const UNCACHED = {
  'cache-control': 'private, no-store',
  'cdn-cache-control': 'no-store',
  'surrogate-control': 'no-store',
  'x-accel-expires': '0',
}

/** No cache may keep an answer to a navigation in the place of the page, whatever a load, a hook or a middleware says. */
export function keepFromCaches(reply: FastifyReply) {
  for (const name of Object.keys(reply.getHeaders())) if (isForSomeCaches(name)) reply.removeHeader(name)
  reply.headers(UNCACHED)
  limitCaching(reply, 'no-store')
}

const own = new WeakSet<FastifyReply>()

/** Has Hydrant written it, and not a hook, nor a load or an action that called `reply.send()`? */
export function isOwnAnswer(reply: FastifyReply): boolean {
  return own.has(reply)
}

/** The lines that answer a navigation. They are collected until `open`. */
export class NavigationStream implements NavigationAnswer {
  #site: Site
  #visit: RequestContext
  #text = ''
  #stream: Readable | null = null
  #cookies = ''
  #isEnded = false

  constructor(site: Site, visit: RequestContext) {
    this.#site = site
    this.#visit = visit
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
    if (!this.isOpen || this.#isEnded || this.#readCookies() === this.#cookies) return this.#isEnded
    this.send(['load'])
    this.end()
    return true
  }

  sendActionData(level: number, data: string) {
    this.sendText(`["data",${level + 1},${data}]`)
  }

  open() {
    this.#setHeaders()
    this.#cookies = this.#readCookies()
    this.#stream = new Readable({ read() {} })
    this.#stream.push(this.#text)
    this.#visit.statusSent = this.#visit.reply.statusCode
    this.#visit.reply.header('x-accel-buffering', 'no')
    this.#sendOwn(this.#stream)
  }

  end() {
    if (this.#isEnded) return
    this.#isEnded = true
    if (this.#stream) return void this.#stream.push(null)
    this.#setHeaders()
    this.#sendOwn(this.#text)
  }

  #sendOwn(body: string | Readable) {
    const { reply, hooksRun } = this.#visit
    if (hooksRun === null) return void sendOwn(body, reply)
    void hooksRun.then(
      () => sendOwn(body, reply),
      (error) => sendRawError(error, 'navigation', this.#site, this.#visit),
    )
  }

  // As text: Fastify adds to the array that it has given out.
  #readCookies(): string {
    return String(this.#visit.reply.getHeader('set-cookie'))
  }

  #setHeaders() {
    const { reply } = this.#visit
    if (this.#site.options.compress) addVary(reply, 'Accept-Encoding')
    // Before it is compressed: a load may have forbidden that.
    keepFromCaches(reply)
    reply.type(NAVIGATION_CONTENT)
    own.add(reply)
  }
}

/** What a navigation goes to. */
export interface Destination {
  plan: DocumentPlan
  /** The layouts' loads and the page's, outermost first. */
  steps: readonly LoadStep[]
  params: Record<string, string>
}

/** Longer than any id of a build, and short enough for a log that anybody may write to. */
const MAX_BUILD = 64

/** A page of another build is told to load the document: its scripts do not go with those of this one. */
export function refuseOtherBuild(stream: NavigationAnswer, site: Site, visit: RequestContext): boolean {
  const build = visit.request.headers[BUILD_HEADER]
  if (build === site.build.manifest.buildId) return false
  visit.note(
    { build: String(build).slice(0, MAX_BUILD) },
    'the page is from another build, so it loads the document instead',
  )
  stream.send(['load'])
  stream.end()
  return true
}

/** Tells the page to load a document. */
export function refuseNavigation(site: Site, visit: RequestContext) {
  const stream = new NavigationStream(site, visit)
  stream.send(['load'])
  stream.end()
}

/**
 * Writes the first line. Returns how many layouts stay as they are.
 *
 * @param mayKeep False when something has been changed: all loads run again.
 */
export function startNavigation(
  { plan, params }: Destination,
  mayKeep: boolean,
  stream: NavigationAnswer,
  visit: RequestContext,
): number {
  const kept = mayKeep ? countKept(plan.bootLayouts, params, String(visit.request.headers[LAYOUTS_HEADER])) : 0
  const boot = bootText(plan.boot, { url: visit.href, params })
  const preload = JSON.stringify(plan.files)
  stream.sendText(`["start",{"kept":${kept},"preload":${preload},${boot.slice(1)}]`)
  return kept
}

/** Loads what does not stand yet; each load's data is a line of its own, as soon as it is there. */
export async function loadNavigation(
  { plan, steps, params }: Destination,
  kept: number,
  stream: NavigationAnswer,
  site: Site,
  visit: RequestContext,
) {
  const writer = createDataWriter(plan.dataFiles.at(-1) ?? '', visit)
  writer.subscribe((settlement) => stream.sendText(settledLine(settlement)))
  const context = createLoadContext(visit, site.app, params)
  const loads: Loads = await runLoads(steps.slice(kept), context, visit, site, (index, value) => {
    const data = writer.write(value, plan.dataFiles[kept + index] ?? '')
    if (!stream.endIfLate()) stream.sendText(`["data",${kept + index},${data}]`)
  })
  return { loads, deferred: writer }
}

/** Ends the stream when the promises in the data have settled, or at the deadline. */
export async function finishNavigation(
  deferred: Deferred,
  stream: NavigationAnswer,
  { options }: Site,
  visit: RequestContext,
): Promise<void> {
  if (deferred.pendingCount() === 0) return stream.end()
  if (!stream.isOpen) stream.open()
  const { renderMs } = options.timeouts
  await new Promise<void>((resolve) => {
    const clearDeadline = startDeadline(renderMs, () => {
      const pending = deferred.pendingNames()
      const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending.join(', ')])
      deferred.failPending(visit.fail(error, { phase: 'load', place: deferred.place, pending }))
      visit.abort(error)
    })
    function settle() {
      if (deferred.pendingCount() > 0) return
      clearDeadline()
      stream.end()
      resolve()
    }
    visit.watchLeaving(() => {
      clearDeadline()
      resolve()
    })
    deferred.subscribe((settlement) => {
      stream.sendText(settledLine(settlement))
      settle()
    })
    settle()
  })
}

function settledLine(settlement: string): string {
  return `["settled",${settlement.slice(1)}`
}
