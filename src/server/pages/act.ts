import type { ExtraProps } from '../../shared/wire/boot.ts'
import { ACTED_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { Route } from '../build-output/load-build.ts'
import { noteLive, type RequestContext } from '../context/request-context.ts'
import { createResponse, type PageResponse } from '../context/response.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import { FORMATS } from '../http/formats.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { catchActionError, runAction } from './actions.ts'
import { admit } from './admit.ts'
import { createInvalid, hasOtherBody, type RefusedForm } from './check-form.ts'
import { hintAtForm } from './development-notes.ts'
import { errorInLayouts } from './error-handler.ts'
import { problemResponse } from './errors.ts'
import { runLoads } from './loads.ts'
import { makeNavigation, refuseOtherBuild, refuseWithoutScripts, type StateBeforeLoads } from './navigation.ts'
import { type WrittenExtras, writeActed, writeExtras } from './page-extras.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { jsonResponse, produce } from './produce.ts'
import { serve } from './send.ts'

/**
 * Runs the guards of a page, and then calls `proceed`. To be called before the body is read, so that an upload that is
 * refused is never stored. A refusal does not have ACTED_HEADER: the action has not run.
 */
export async function guardAction(route: PreparedRoute, ctx: RequestContext, proceed: () => void): Promise<void> {
  if (!ctx.site.slots.admit(ctx)) return
  limitCaching(ctx.reply, 'no-store')
  await serve(ctx, async () => {
    const admitted = await admit(route, ctx)
    return admitted === 'passed' ? null : admitted
  })
  // The slot is free at this point: a slow upload holds no slot.
  if (ctx.hasPassedGuards) proceed()
}

/** Responds to POST, PUT, PATCH and DELETE of a page that has an action. */
export function respondToAction(route: PreparedRoute, ctx: RequestContext) {
  // `runAction` takes the slot, when it has read the form.
  if (ctx.site.slots.hasRoom(ctx)) void serve(ctx, () => act(route, ctx))
}

async function act(route: PreparedRoute, ctx: RequestContext): Promise<PageResponse | null> {
  const { reply } = ctx
  const { isData, isNavigation } = FORMATS[ctx.format]
  if (isNavigation) {
    // These requests are refused before the action runs, because the browser then sends the form again by itself.
    const refused = refuseOtherBuild(ctx) ?? refuseWithoutScripts(ctx)
    if (refused) return refused
    reply.header(ACTED_HEADER, '1')
  }
  // The limit is set before the action runs, because the action may send a response itself.
  limitCaching(reply, 'no-store')
  const outcome = await runAction(route, ctx)
  if (outcome.kind === 'done') return null
  reply.header('cache-control', NO_STORE)
  if (outcome.kind === 'thrown') return await errorInLayouts(route, outcome.caught, ctx)
  if (outcome.kind === 'invalid') return await makeInvalid(route, outcome, ctx)
  if (isData) return await makeActionJson(route, outcome.value, ctx)
  return await makeActionPage(route, { actionData: outcome.value }, ctx)
}

async function makeActionJson(route: Route, value: unknown, ctx: RequestContext): Promise<PageResponse | null> {
  // 204 unless the action has set a status.
  if (value === undefined) return createResponse('nothing', null, { status: ctx.reply.statusCode === 200 ? 204 : null })
  const { renderMs } = ctx.site.options.timeouts
  try {
    // The value contains no promise, so nothing is pending at the deadline.
    return jsonResponse(
      await toPlainJson(value, () => createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, 'JSON']), renderMs),
    )
  } catch (thrown) {
    return await errorInLayouts(route, catchActionError(thrown, route, ctx), ctx)
  }
}

/** Responds to a form that was not accepted: with the page, or with a problem if the client has sent or wants JSON. */
async function makeInvalid(
  route: PreparedRoute,
  refused: RefusedForm,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const { status, issues, reason } = refused
  ctx.note({ statusCode: status }, `refused with ${status}: ${reason}`)
  if (ctx.site.isDevelopment) hintAtForm(refused, ctx)
  const { isData, isNavigation } = FORMATS[ctx.format]
  if (isData || (!isNavigation && hasOtherBody(ctx.request)))
    return problemResponse({ kind: 'refusal', status, message: NOT_ACCEPTED }, ctx, issues)
  ctx.reply.code(status)
  return await makeActionPage(route, { invalid: createInvalid(refused) }, ctx)
}

const NOT_ACCEPTED = 'Some fields are not valid.'

// The loads run after the action, so that they see its changes. An open page gets the result of the action first.
async function makeActionPage(
  route: PreparedRoute,
  result: ExtraProps,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const { serverFile } = route.page
  // The action may have published something.
  noteLive(route, ctx)
  const ofAction = ctx.action?.name ? { ...result, action: ctx.action.name } : result
  let start: StateBeforeLoads | null = null
  let extras: WrittenExtras | null = null
  try {
    if (FORMATS[ctx.format].isNavigation) {
      const acted = writeActed(route.revalidates ? ofAction : { ...ofAction, revalidate: false }, serverFile)
      start = { kind: 'acted', acted, extras: writeExtras({}, serverFile, ctx) }
    } else {
      // The value of the action contains no promise: `runAction` rejects those.
      extras = writeExtras(ofAction, serverFile, ctx)
    }
  } catch (thrown) {
    return await errorInLayouts(route, catchActionError(thrown, route, ctx), ctx)
  }
  if (start) return await makeNavigation(route, start, ctx)
  const loads = route.noLoads ?? (await runLoads(route.steps, ctx))
  // A load may have set the header for the page, which may stream if it is not to be stored.
  ctx.reply.header('cache-control', NO_STORE)
  return await produce(route, loads, extras, ctx)
}
