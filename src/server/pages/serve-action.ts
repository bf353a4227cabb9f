import { ACTED_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { PageExtras } from '../../shared/wire/page-extras.ts'
import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { silencePromises } from '../render/data-promises.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { catchActionError, runAction } from './actions.ts'
import { admitToPage } from './admit-to-page.ts'
import { createInvalid, hasOtherBody, type RefusedForm } from './check-form.ts'
import { noteForm } from './development-notes.ts'
import { runLoads } from './loads.ts'
import { NavigationStream, refuseOtherBuild, refuseWithoutScripts } from './navigation-stream.ts'
import { type WrittenExtras, writeActed, writeExtras } from './page-extras.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { respondInSlot } from './raw-response.ts'
import { respondWithError, targetOf } from './respond-with-error.ts'
import { sendErrorProblem, sendJson, sendNothing } from './send-response.ts'
import { serveErrorInLayouts } from './serve-error.ts'
import { type StateBeforeLoads, serveNavigation } from './serve-navigation.ts'
import { respondWithDocument } from './serve-page.ts'

/**
 * Runs the guards of a page, and then calls `proceed`. To be called before the body is read, so that an upload that is
 * refused is never stored. A refusal does not have ACTED_HEADER: the action has not run.
 */
export async function guardAction(route: PreparedRoute, ctx: RequestContext, proceed: () => void): Promise<void> {
  if (!ctx.site.slots.admit(ctx)) return
  limitCaching(ctx.reply, 'no-store')
  await respondInSlot(ctx, async () => void (await admitToPage(route, ctx)))
  // The slot is free at this point: a slow upload holds no slot.
  if (ctx.hasPassedGuards) proceed()
}

/** Responds to POST, PUT, PATCH and DELETE of a page that has an action. */
export function serveAction(route: PreparedRoute, ctx: RequestContext) {
  // `runAction` takes the slot, when it has read the form.
  if (ctx.site.slots.hasRoom(ctx)) void respondInSlot(ctx, () => respondToAction(route, ctx))
}

async function respondToAction(route: PreparedRoute, ctx: RequestContext): Promise<void> {
  const { format, reply } = ctx
  if (format === 'navigation') {
    // These requests are refused before the action runs, because the browser then sends the form again by itself.
    const stream = new NavigationStream(ctx)
    if (refuseOtherBuild(stream, ctx) || refuseWithoutScripts(stream, ctx)) return
    reply.header(ACTED_HEADER, '1')
  }
  // The limit is set before the action runs, because the action may send a response itself.
  limitCaching(reply, 'no-store')
  const outcome = await runAction(route, ctx)
  if (outcome.kind === 'done') return
  reply.header('cache-control', NO_STORE)
  if (outcome.kind === 'thrown') return serveErrorInLayouts(route, outcome.caught, ctx)
  if (outcome.kind === 'invalid') return respondWithInvalid(route, outcome, ctx)
  if (format === 'json') return respondWithActionJson(route, outcome.value, ctx)
  await respondWithActionPage(route, { actionData: outcome.value }, ctx)
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

/** Responds to a form that was not accepted: with the page, or with a problem if the client has sent or wants JSON. */
async function respondWithInvalid(route: PreparedRoute, refused: RefusedForm, ctx: RequestContext): Promise<void> {
  const { status, issues, reason } = refused
  ctx.note({ statusCode: status }, `refused with ${status}: ${reason}`)
  noteForm(refused, ctx)
  if (ctx.format === 'json' || (ctx.format !== 'navigation' && hasOtherBody(ctx.request)))
    return sendErrorProblem({ kind: 'refusal', status, message: NOT_ACCEPTED }, ctx, issues)
  ctx.reply.code(status)
  await respondWithActionPage(route, { invalid: createInvalid(refused) }, ctx)
}

const NOT_ACCEPTED = 'Some fields are not valid.'

// The loads run after the action, so that they see its changes.
async function respondWithActionPage(route: PreparedRoute, ofAction: PageExtras, ctx: RequestContext): Promise<void> {
  if (ctx.format === 'navigation') return respondWithActed(route, ofAction, ctx)
  let extras: WrittenExtras | null
  try {
    // The value of the action contains no promise: `runAction` rejects those.
    extras = writeExtras(ofAction, route.page.serverFile, ctx)
  } catch (thrown) {
    return serveErrorInLayouts(route, catchActionError(thrown, route), ctx)
  }
  const loads = route.noLoads ?? (await runLoads(route.steps, ctx))
  if (ctx.isGone || loads.kind !== 'loaded') silencePromises(loads.values, ctx)
  if (ctx.isGone || loads.kind === 'sent') return
  // The header is set again, because a load may have set it for the page. This response belongs to one request.
  ctx.reply.header('cache-control', NO_STORE)
  if (loads.kind === 'thrown') return respondWithError(loads.caught, targetOf(route, loads.values), ctx)
  await respondWithDocument(route, loads.values, extras, ctx)
}

/** Responds to an open page: with the result of the action, and then with the page. */
async function respondWithActed(route: PreparedRoute, ofAction: PageExtras, ctx: RequestContext): Promise<void> {
  const { serverFile } = route.page
  let start: StateBeforeLoads
  try {
    const acted = writeActed(route.revalidates ? ofAction : { ...ofAction, revalidate: false }, serverFile)
    start = { kind: 'acted', acted, extras: writeExtras({}, serverFile, ctx) }
  } catch (thrown) {
    return serveErrorInLayouts(route, catchActionError(thrown, route), ctx)
  }
  await serveNavigation(route, start, ctx)
}
