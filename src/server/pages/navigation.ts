// Responses to navigations of open pages, and to forms that they send: lines that say what the page changes.

import { Readable } from 'node:stream'
import { bootFields, prependItem } from '../../shared/wire/boot.ts'
import {
  BUILD_HEADER,
  type NavigationLine,
  REFRESH_HEADER,
  RESULT_HEADER,
} from '../../shared/wire/navigation-protocol.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createResponse, type NavigationLines, type PageResponse } from '../context/response.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { CaughtError } from '../failures/failure-context.ts'
import { dropPayload, dropResponse, hasLateCookie, haveHooksRun, replacementFor } from '../http/navigation-strategy.ts'
import { listMetrics, noteLength } from '../http/request-times.ts'
import { timeWork } from '../http/timed-steps.ts'
import { createDataWriter, type DataWriter } from '../render/deferred.ts'
import { startDeadline } from '../util/deadline.ts'
import { countKeptLayouts, type DocumentPlan } from './document-plan.ts'
import { bootDocument, findVisitor } from './documents.ts'
import type { ErrorTarget } from './error-page.ts'
import { errorResponse } from './errors.ts'
import { type Loads, runLoads, startVisitorLoad } from './loads.ts'
import type { WrittenExtras } from './page-extras.ts'
import type { PreparedRoute } from './prepared-route.ts'

/** The state of the request before its first load. */
export type StateBeforeLoads =
  /** `loads` has the results of the loads, if they have run already. */
  | { kind: 'nothing'; extras: WrittenExtras | null; loads?: Exclude<Loads, { kind: 'sent' }> | null }
  /** A hook or the action has thrown: the error page is shown inside these layouts. */
  | { kind: 'thrown'; caught: CaughtError; layouts: Route['layouts'] }
  /** The action has returned. `acted` is the result of `writeActed`. */
  | { kind: 'acted'; acted: string; extras: WrittenExtras | null }

/** Makes the response to a page of this site that navigates to `route`, or sends a form to it. */
export async function makeNavigation(
  route: PreparedRoute,
  start: StateBeforeLoads,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const lines = new CollectedLines(ctx)
  ctx.navigation = lines
  const { plan, canStream } = route
  const isPage = start.kind !== 'thrown'
  const needsPage = ctx.request.headers[RESULT_HEADER] !== 'only'
  if (!isPage && (start.caught.kind === 'redirect' || !needsPage))
    return await errorResponse(start.caught, targetAt(0, route), ctx)
  const refused = refuseOtherBuild(ctx) ?? refuseWithoutScripts(ctx)
  if (refused) return refused
  if (start.kind === 'acted') {
    lines.addText(`["acted",${start.acted}]`)
    if (!needsPage || (isHere(ctx) && !route.revalidates)) return lines.end()
  }
  if (ctx.site.markVisitor) await findVisitor(ctx)
  const kept = isPage ? addStart(route, start.kind === 'nothing', lines, ctx) : addErrorStart(start, plan, lines, ctx)
  if (isPage && start.extras && !route.loadVisitor) addExtras(route, start.extras.serialized, lines)
  const loading = { route, start, kept, lines }
  const steps = (isPage ? route.steps : start.layouts).slice(kept)
  const isSentEarly = isPage && canStream && !ctx.shared && !isRefresh(ctx) && steps.some(({ load }) => load)
  if (!isSentEarly) return await loadLines(loading, ctx)
  return lines.open(async () => {
    // The first line goes out before the loads take time.
    await new Promise(process.nextTick)
    await loadLines(loading, ctx)
  })
}

/** Makes an open page load a document. */
export function loadDocument(): PageResponse {
  return createResponse('navigation', `${JSON.stringify(['load'] satisfies NavigationLine)}\n`)
}

/** Longer than any build's id, and short enough for a log line that clients can cause at will. */
const MAX_BUILD_LENGTH = 64

/**
 * Makes a page of another build load the document, because its scripts do not fit the data of this build. Returns null
 * for a page of this build.
 */
export function refuseOtherBuild(ctx: RequestContext): PageResponse | null {
  const build = ctx.request.headers[BUILD_HEADER]
  if (build === ctx.site.build.manifest.buildId) return null
  ctx.note(
    { build: String(build).slice(0, MAX_BUILD_LENGTH) },
    'the page is from another build, so it loads the document instead',
  )
  return loadDocument()
}

/** Makes the open page load a document if the requested page has no scripts. Returns null for any other page. */
export function refuseWithoutScripts(ctx: RequestContext): PageResponse | null {
  return ctx.hasScripts ? null : loadDocument()
}

interface Loading {
  route: PreparedRoute
  start: StateBeforeLoads
  /** Number of layouts that the browser keeps. */
  kept: number
  lines: CollectedLines
}

/** Runs the loads and adds their data. Returns the response; null if it has begun, or if there is none to send. */
async function loadLines({ route, start, kept, lines }: Loading, ctx: RequestContext): Promise<PageResponse | null> {
  const { plan, page, layouts } = route
  const isPage = start.kind !== 'thrown'
  const deferred = createDataWriter(plan.dataFiles.at(-1) ?? '', ctx)
  deferred.subscribe((settlement) => lines.addText(settledLine(settlement)))
  if (isPage && route.loadVisitor) {
    const extras = { ...start.extras?.value, visitorData: startVisitorLoad(route, ctx) }
    addExtras(route, deferred.write(extras, page.serverFile), lines)
  }
  function addData(index: number, value: unknown) {
    const level = kept + index
    const file = plan.dataFiles[level] ?? ''
    const write = () => deferred.write(value, file)
    const data = value === undefined ? write() : timeWork('data', ctx.times, write)
    noteLength(file, data.length, ctx.times)
    if (!lines.endIfLate()) lines.addText(`["data",${level},${data}]`)
  }
  const loads = await loadData(start, (isPage ? route.steps : start.layouts).slice(kept), kept, addData, ctx)
  if (ctx.isGone || loads.kind === 'sent' || (lines.endIfLate() && loads.kind === 'loaded')) return null
  const around = targetAt(Math.min(kept + loads.values.length, layouts.length), route)
  if (loads.kind === 'thrown') return await errorResponse(loads.caught, around, ctx)
  if (!isPage) return await errorResponse(start.caught, around, ctx)
  if (deferred.pendingCount() === 0) return lines.end({ isPage: true })
  if (!lines.isOpen && !ctx.shared) return lines.open(() => settle(deferred, lines, ctx))
  await settle(deferred, lines, ctx)
  return lines.end({ isPage: true })
}

async function loadData(
  start: StateBeforeLoads,
  steps: PreparedRoute['steps'],
  kept: number,
  onLoaded: (index: number, value: unknown) => void,
  ctx: RequestContext,
): Promise<Loads> {
  const known = start.kind === 'nothing' ? start.loads : null
  if (!known) return await runLoads(steps, ctx, onLoaded)
  const values = known.values.slice(kept)
  for (const [index, value] of values.entries()) onLoaded(index, value)
  return { ...known, values }
}

// The browser has the layouts' data already; only their number matters.
function targetAt(level: number, chain: PreparedRoute): ErrorTarget {
  return { chain, layoutData: new Array(level).fill(undefined) }
}

const isHere = ({ request }: RequestContext) => request.headers[RESULT_HEADER] === 'here'
const isRefresh = ({ request }: RequestContext) => request.headers[REFRESH_HEADER] !== undefined

/**
 * Adds the first line. Returns how many layouts the browser keeps.
 *
 * @param mayKeep False after an action, which may have changed anything: all loads run again.
 */
function addStart(
  { plan, layouts }: PreparedRoute,
  mayKeep: boolean,
  lines: NavigationLines,
  ctx: RequestContext,
): number {
  const kept = mayKeep ? countKeptLayouts(plan, ctx) : 0
  const document = bootDocument(ctx)
  if (ctx.live !== null) document.live = ctx.live
  const boot = bootFields(plan.boot, document)
  const preload = JSON.stringify(plan.files)
  const keepsLive = layouts.slice(0, kept).some(({ live }) => live !== null) ? '"keepsLive":true,' : ''
  lines.addText(`["start",{"kept":${kept},${keepsLive}"preload":${preload},${boot}}]`)
  return kept
}

/** Adds the first line for an error inside the outermost layouts. It does not describe the page, which may be secret. */
function addErrorStart(
  { layouts }: Extract<StateBeforeLoads, { kind: 'thrown' }>,
  plan: DocumentPlan,
  lines: NavigationLines,
  ctx: RequestContext,
): number {
  const leaf = { kind: 'shown', file: null } as const
  const boot = { leaf, build: ctx.site.build.manifest.buildId, ...bootDocument(ctx) }
  lines.add(['start', { kept: 0, preload: [], layouts: plan.bootLayouts.slice(0, layouts.length), ...boot }])
  return 0
}

/** @param extras JSON from `serialize`. */
function addExtras({ layouts }: PreparedRoute, extras: string, lines: NavigationLines) {
  lines.addText(`["data",${layouts.length + 1},${extras}]`)
}

/** Adds the promises in the data as they settle. Ends the lines after the last one, or at the deadline. */
async function settle(deferred: DataWriter, lines: CollectedLines, ctx: RequestContext): Promise<void> {
  const { renderMs } = ctx.site.options.timeouts
  await new Promise<void>((resolve) => {
    const clearDeadline = startDeadline(renderMs, () => {
      const pending = deferred.pendingNames()
      const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending.join(', ')])
      deferred.failPending(ctx.fail(error, { phase: 'load', place: deferred.place, pending }))
      ctx.abort(error)
    })
    function endWhenSettled() {
      if (deferred.pendingCount() > 0) return
      clearDeadline()
      if (lines.isOpen) lines.end()
      resolve()
    }
    ctx.watchLeaving(() => {
      clearDeadline()
      resolve()
    })
    deferred.subscribe((settlement) => {
      lines.addText(settledLine(settlement))
      endWhenSettled()
    })
    endWhenSettled()
  })
}

function settledLine(settlement: string): string {
  return prependItem('"settled"', settlement)
}

/** Lines that are collected until the response begins. */
export class CollectedLines implements NavigationLines {
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

  add(line: NavigationLine) {
    this.addText(JSON.stringify(line))
  }

  addText(line: string) {
    if (this.#isEnded) return
    if (this.#stream) this.#stream.push(`${line}\n`)
    else this.#text += `${line}\n`
  }

  /**
   * Ends the open response if a load has set a cookie after the headers were sent. The browser then loads the document,
   * so that nothing is shown that needs the cookie. Returns whether the response has ended.
   */
  endIfLate(): boolean {
    if (!this.isOpen || this.#isEnded || !hasLateCookie(this.#ctx.reply)) return this.#isEnded
    this.add(['load'])
    this.end()
    return true
  }

  /** Returns the response that begins with the collected lines. From then on each line is sent at once. */
  open(rest: () => Promise<void>): PageResponse {
    this.#stream = new Readable({ read() {} })
    this.#stream.push(this.#text)
    this.#ctx.statusSent = this.#ctx.reply.statusCode
    return createResponse('navigation', this.#stream, { isStreamed: true, rest })
  }

  end(given: Partial<PageResponse> = {}): PageResponse | null {
    if (this.#isEnded) return null
    const { site, route, reply, request } = this.#ctx
    if (this.#stream && site.isDevelopment && site.options.serverTiming)
      this.add(['times', listMetrics(route, reply.elapsedTime, request)])
    this.#isEnded = true
    if (!this.#stream) return createResponse('navigation', this.#text, given)
    this.#stream.push(null)
    return null
  }

  replace(payload: unknown) {
    const { request, reply } = this.#ctx
    // The result of the action is among the lines, so the browser does not send the form again.
    this.add(replacementFor(request, reply) ?? ['load'])
    this.end()
    // After the hooks, the headers of the open response are set, with those of the compression.
    if (haveHooksRun(reply)) dropPayload(payload, reply)
    else dropResponse(payload, reply)
  }
}
