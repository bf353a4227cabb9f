import { ACTED_HEADER, type Acted } from '../../shared/wire/navigation-protocol.ts'
import type { PageExtras } from '../../shared/wire/page-extras.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { silencePromises } from '../render/data-promises.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { catchActionError, runAction, serialiseActed } from './actions.ts'
import { runLoads } from './loads.ts'
import { NavigationStream, refuseOtherBuild } from './navigation-stream.ts'
import type { PageRoute } from './page-route.ts'
import { respondInSlot } from './raw-response.ts'
import type { ActionResult } from './render-page.ts'
import { respondWithError, targetOf } from './respond-with-error.ts'
import { sendJson, sendNothing } from './send-response.ts'
import { serveErrorInLayouts } from './serve-error.ts'
import { serveNavigation } from './serve-navigation.ts'
import { respondWithDocument } from './serve-page.ts'

/** Responds to POST, PUT, PATCH and DELETE of a page that has an action. */
export function serveAction(route: PageRoute, ctx: RequestContext) {
  // `runAction` takes the slot, when it has read the form.
  if (ctx.site.slots.hasRoom(ctx)) void respondInSlot(ctx, () => respondToAction(route, ctx))
}

async function respondToAction(route: PageRoute, ctx: RequestContext): Promise<void> {
  const { format, reply } = ctx
  if (format === 'navigation') {
    // Before the action runs: the browser then sends the form again by itself.
    if (refuseOtherBuild(new NavigationStream(ctx), ctx)) return
    reply.header(ACTED_HEADER, '1')
  }
  // Set before the action runs, as the action may send a response itself.
  limitCaching(reply, 'no-store')
  const outcome = await runAction(route, ctx)
  if (outcome.kind === 'done') return
  reply.header('cache-control', NO_STORE)
  if (outcome.kind === 'thrown') return serveErrorInLayouts(route, outcome.caught, ctx)
  if (format === 'json') return respondWithActionJson(route, outcome.value, ctx)
  await respondWithActionPage(route, outcome.value, ctx)
}

async function respondWithActionJson(route: Route, value: unknown, ctx: RequestContext): Promise<void> {
  if (value === undefined) return sendNothing(ctx)
  const { renderMs } = ctx.site.options.timeouts
  try {
    // The value contains no promise, so nothing is pending at the deadline.
    const json = await toPlainJson(value, () => createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, 'JSON']), renderMs)
    sendJson(json, ctx)
  } catch (thrown) {
    await serveErrorInLayouts(route, catchActionError(thrown, route), ctx)
  }
}

// The loads run after the action, so that they see its changes.
async function respondWithActionPage(route: PageRoute, value: unknown, ctx: RequestContext): Promise<void> {
  const extras: PageExtras = value === undefined ? {} : { actionData: value }
  const acted: Acted = ctx.format === 'navigation' && !route.revalidates ? { ...extras, revalidate: false } : extras
  let action: ActionResult
  try {
    action = { extras, serialised: serialiseActed(acted, route) }
  } catch (thrown) {
    return serveErrorInLayouts(route, catchActionError(thrown, route), ctx)
  }
  if (ctx.format === 'navigation') return serveNavigation(route, { kind: 'acted', acted: action.serialised }, ctx)
  const loads = route.noLoads ?? (await runLoads(route.steps, ctx))
  if (ctx.isGone || loads.kind === 'thrown') silencePromises(loads.values)
  if (ctx.isGone) return
  // Again: a load may have set the header for the page. This response belongs to one request.
  ctx.reply.header('cache-control', NO_STORE)
  if (loads.kind === 'thrown') return respondWithError(loads.caught, targetOf(route, loads.values), ctx)
  await respondWithDocument(route, loads.values, value === undefined ? null : action, ctx)
}
