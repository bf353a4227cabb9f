import type { FastifyReply, FastifyRequest } from 'fastify'
import { ACTED_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { Route } from '../build-output/load-build.ts'
import { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { limitCaching, NO_STORE } from '../http/caching.ts'
import type { Format } from '../http/negotiate.ts'
import { silencePromises } from '../render/data-promises.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { originOf, runAction, serialiseActionData } from './actions.ts'
import { NavigationStream, refuseOtherBuild } from './navigation-stream.ts'
import { answerLoads, createPlace, loadAll } from './page-loads.ts'
import { formatOf, type PageRoute, paramsOf } from './page-route.ts'
import { sendRawError } from './raw-response.ts'
import type { ActionResult } from './render-page.ts'
import type { CaughtError } from './respond-with-error.ts'
import { sendJson, sendNothing } from './send-response.ts'
import { serveErrorInLayouts } from './serve-error.ts'
import { answerNavigation } from './serve-navigation.ts'
import { answerDocument } from './serve-page.ts'

/** Answers POST, PUT, PATCH and DELETE of a page that has an action. */
export async function serveAction(
  route: PageRoute,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const visit = new RequestContext(request, reply, route.id, site.failures)
  // Who sends a form with files slowly makes nothing yet: the slot is taken behind it.
  if (!site.slots.hasRoom(visit)) return
  try {
    await answerAction(route, site, visit)
  } catch (thrown) {
    // Neither the answer nor what failed of it can be sent.
    sendRawError(thrown, formatOf(request), site, visit)
  } finally {
    site.slots.free(visit)
  }
}

async function answerAction(route: PageRoute, site: Site, visit: RequestContext): Promise<void> {
  const { request, reply } = visit
  const format = formatOf(request)
  const params = paramsOf(route, request)
  // Before anything has been done: the browser sends the form once more, by itself.
  if (format === 'navigation') {
    if (refuseOtherBuild(new NavigationStream(site, visit), site, visit)) return
    reply.header(ACTED_HEADER, '1')
  }
  // Also of what the action sends itself.
  limitCaching(reply, 'no-store')
  const outcome = await runAction(route, params, site, visit)
  if (outcome.kind === 'done') return
  reply.header('cache-control', NO_STORE)
  if (outcome.kind === 'thrown') return serveErrorInLayouts(route, outcome, params, format, site, visit)
  if (format === 'json') return answerActionJson(route, outcome.value, params, site, visit)
  await answerActed(route, outcome.value, params, format, site, visit)
}

// The loads see what the action has done.
async function answerActed(
  route: PageRoute,
  value: unknown,
  params: Record<string, string>,
  format: Format,
  site: Site,
  visit: RequestContext,
): Promise<void> {
  let action: ActionResult | null = null
  try {
    if (value !== undefined) action = { value, serialised: serialiseActionData(value, route) }
  } catch (thrown) {
    const own: CaughtError = { thrown, phase: 'action', origin: originOf(route) }
    return serveErrorInLayouts(route, own, params, format, site, visit)
  }
  if (format === 'navigation') return answerNavigation(route, { kind: 'acted', action }, params, site, visit)
  const loads = route.noLoads ?? (await loadAll(route.steps, params, site, visit))
  if (visit.isGone || loads.kind === 'thrown') silencePromises(loads.values)
  if (visit.isGone) return
  // Whatever a load has said of the page: this is the answer to one request.
  visit.reply.header('cache-control', NO_STORE)
  const place = createPlace(route, loads, params)
  if (loads.kind === 'thrown') return answerLoads(loads, place, 'html', site, visit)
  await answerDocument(route, loads.values, place, action, site, visit)
}

async function answerActionJson(
  route: Route,
  value: unknown,
  params: Record<string, string>,
  site: Site,
  visit: RequestContext,
): Promise<void> {
  if (value === undefined) return sendNothing(visit)
  const { renderMs } = site.options.timeouts
  try {
    // There is no promise in it to wait for.
    const json = await toPlainJson(value, () => createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, 'JSON']), renderMs)
    sendJson(json, site, visit)
  } catch (thrown) {
    const own: CaughtError = { thrown, phase: 'action', origin: originOf(route) }
    await serveErrorInLayouts(route, own, params, 'json', site, visit)
  }
}
