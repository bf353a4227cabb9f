import { bootText } from '../../shared/wire/boot.ts'
import { joinFields, prependItem } from '../../shared/wire/join-json.ts'
import { REFRESH_HEADER, RESULT_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { Route } from '../build-output/load-build.ts'
import type { NavigationAnswer } from '../context/navigation-answer.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { CaughtError } from '../failures/failure-context.ts'
import { createDataWriter, type Deferred } from '../render/deferred-data.ts'
import { startDeadline } from '../util/deadline.ts'
import { countKeptLayouts, type DocumentPlan } from './document-plan.ts'
import type { ErrorTarget } from './error-page.ts'
import { runLoads } from './loads.ts'
import { NavigationStream, refuseOtherBuild, refuseWithoutScripts } from './navigation-stream.ts'
import type { WrittenExtras } from './page-extras.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { respondWithError } from './respond-with-error.ts'
import { startVisitorLoad } from './visitor-load.ts'

/** The state of the request before its first load. */
export type StateBeforeLoads =
  | { kind: 'nothing'; extras: WrittenExtras | null }
  /** A hook or the action has thrown: the error page is shown inside these layouts. */
  | { kind: 'thrown'; caught: CaughtError; layouts: Route['layouts'] }
  /** The action has returned. `acted` is the result of `writeActed`. */
  | { kind: 'acted'; acted: string; extras: WrittenExtras | null }

/** Responds to a page of this site that navigates to `route`, or sends a form to it. */
export async function serveNavigation(
  route: PreparedRoute,
  start: StateBeforeLoads,
  ctx: RequestContext,
): Promise<void> {
  const stream = new NavigationStream(ctx)
  ctx.navigation = stream
  const { plan, canStream } = route
  const isPage = start.kind !== 'thrown'
  const needsPage = ctx.request.headers[RESULT_HEADER] !== 'only'
  const steps = isPage ? route.steps : start.layouts
  // The browser has the layouts' data already; only their number matters.
  const target = (level: number): ErrorTarget => ({ chain: route, layoutData: new Array(level).fill(undefined) })
  if (!isPage && (start.caught.kind === 'redirect' || !needsPage)) return respondWithError(start.caught, target(0), ctx)
  if (refuseOtherBuild(stream, ctx) || refuseWithoutScripts(stream, ctx)) return
  if (start.kind === 'acted') {
    stream.sendText(`["acted",${start.acted}]`)
    if (!needsPage || (isHere(ctx) && !route.revalidates)) return stream.end()
  }
  const kept =
    start.kind === 'thrown'
      ? sendErrorStart(start.layouts.length, plan, stream, ctx)
      : sendStart(plan, start.kind === 'nothing', stream, ctx)
  if (isPage && start.extras && !route.loadVisitor) stream.sendExtras(route.layouts.length, start.extras.serialized)
  if (isPage && canStream && !ctx.capture && !isRefresh(ctx) && steps.slice(kept).some(({ load }) => load))
    stream.open()
  const deferred = createDataWriter(plan.dataFiles.at(-1) ?? '', ctx)
  deferred.subscribe((settlement) => stream.sendText(settledLine(settlement)))
  if (isPage && route.loadVisitor) {
    const extras = { ...start.extras?.value, visitorData: startVisitorLoad(route, ctx) }
    stream.sendExtras(route.layouts.length, deferred.write(extras, route.page.serverFile))
  }
  const loads = await runLoads(steps.slice(kept), ctx, (index, value) => {
    const level = kept + index
    const data = deferred.write(value, plan.dataFiles[level] ?? '')
    if (!stream.endIfLate()) stream.sendText(`["data",${level},${data}]`)
  })
  if (ctx.isGone || loads.kind === 'sent' || (stream.endIfLate() && loads.kind === 'loaded')) return
  const around = target(Math.min(kept + loads.values.length, route.layouts.length))
  if (loads.kind === 'thrown') return respondWithError(loads.caught, around, ctx)
  if (!isPage) return respondWithError(start.caught, around, ctx)
  await sendSettlements(deferred, stream, ctx)
}

const isHere = ({ request }: RequestContext) => request.headers[RESULT_HEADER] === 'here'
const isRefresh = ({ request }: RequestContext) => request.headers[REFRESH_HEADER] !== undefined

/**
 * Sends the first line. Returns how many layouts the browser keeps.
 *
 * @param mayKeep False after an action, which may have changed anything: all loads run again.
 */
function sendStart(plan: DocumentPlan, mayKeep: boolean, stream: NavigationAnswer, ctx: RequestContext): number {
  const { href, params } = ctx
  const kept = mayKeep ? countKeptLayouts(plan, ctx) : 0
  const boot = bootText(plan.boot, { url: href, params })
  const preload = JSON.stringify(plan.files)
  stream.sendText(`["start",${joinFields(`{"kept":${kept},"preload":${preload}}`, boot)}]`)
  return kept
}

/** Sends the first line for an error inside the outermost layouts. It does not describe the page, which may be secret. */
function sendErrorStart(level: number, plan: DocumentPlan, stream: NavigationAnswer, ctx: RequestContext): number {
  const { href, params, site } = ctx
  const layouts = plan.bootLayouts.slice(0, level)
  const leaf = { kind: 'shown', file: null } as const
  const boot = { layouts, leaf, build: site.build.manifest.buildId, url: href, params }
  stream.send(['start', { kept: 0, preload: [], ...boot }])
  return 0
}

/** Sends the promises in the data as they settle. Ends the stream after the last one, or at the deadline. */
async function sendSettlements(deferred: Deferred, stream: NavigationStream, ctx: RequestContext): Promise<void> {
  if (deferred.pendingCount() === 0) return stream.endPage()
  if (!stream.isOpen && !ctx.capture) stream.open()
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
      stream.endPage()
      resolve()
    }
    ctx.watchLeaving(() => {
      clearDeadline()
      resolve()
    })
    deferred.subscribe((settlement) => {
      stream.sendText(settledLine(settlement))
      endWhenSettled()
    })
    endWhenSettled()
  })
}

function settledLine(settlement: string): string {
  return prependItem('"settled"', settlement)
}
