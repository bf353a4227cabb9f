import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '../build-output/load-build.ts'
import { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Format } from '../http/negotiate.ts'
import { silencePromises } from '../render/data-promises.ts'
import { deferData } from '../render/deferred-data.ts'
import { toPlainJson } from '../render/plain-json.ts'
import { HttpError } from '../thrown/http-error.ts'
import { answerLoads, createPlace, loadAll, loadOf } from './page-loads.ts'
import { formatOf, type PageRoute, paramsOf } from './page-route.ts'
import { sendRawError } from './raw-response.ts'
import { type ActionResult, mayStream, renderPage } from './render-page.ts'
import { type ErrorTarget, respondWithError } from './respond-with-error.ts'
import { sendDocument, sendDocumentHead, sendJson } from './send-response.ts'
import { answerNavigation } from './serve-navigation.ts'

/** Answers GET and HEAD of a page. Resolves when all of it is made. */
export async function servePage(
  route: PageRoute,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const visit = new RequestContext(request, reply, route.id, site.failures)
  if (!site.slots.admit(visit)) return
  const format = formatOf(request)
  try {
    if (format === 'navigation')
      await answerNavigation(route, { kind: 'nothing' }, paramsOf(route, request), site, visit)
    else await answerPage(route, format, site, visit)
  } catch (thrown) {
    // Neither the page nor what failed of it can be sent: a header that load has set is none, for one.
    sendRawError(thrown, format, site, visit)
  } finally {
    site.slots.free(visit)
  }
}

async function answerPage(route: PageRoute, format: Format, site: Site, visit: RequestContext): Promise<void> {
  const params = paramsOf(route, visit.request)
  const loads = route.noLoads ?? (await loadAll(route.steps, params, site, visit))
  if (visit.isGone || loads.kind === 'thrown' || format === 'json') silencePromises(loads.values)
  if (visit.isGone) return
  const place = createPlace(route, loads, params)
  if (loads.kind === 'thrown') return answerLoads(loads, place, format, site, visit)
  if (format === 'json') return answerJson(route, loads.values, place, site, visit)
  await answerDocument(route, loads.values, place, null, site, visit)
}

export async function answerDocument(
  route: PageRoute,
  values: readonly unknown[],
  place: ErrorTarget,
  action: ActionResult | null,
  site: Site,
  visit: RequestContext,
): Promise<void> {
  const { plan, leaf } = route
  try {
    if (visit.request.method === 'HEAD') {
      const isPending = deferData(values, plan.dataFiles, visit).pendingCount() > 0
      return sendDocumentHead(isPending && mayStream(plan, visit), site, visit)
    }
    const rendered = await renderPage({ plan, data: values, action, leaf, params: place.params }, site, visit)
    if (rendered.kind === 'gone') return
    if (visit.hooksRun) await visit.hooksRun
    if (rendered.kind === 'thrown')
      return respondWithError({ thrown: rendered.thrown, phase: 'render' }, place, 'html', site, visit)
    sendDocument(rendered, site, visit)
    if (rendered.kind === 'stream') await rendered.ended
  } catch (thrown) {
    await respondWithError({ thrown, phase: 'load', origin: loadOf(route.page.serverFile) }, place, 'html', site, visit)
  }
}

async function answerJson(
  route: Route,
  values: readonly unknown[],
  place: ErrorTarget,
  site: Site,
  visit: RequestContext,
): Promise<void> {
  const { load, serverFile } = route.page
  const { renderMs } = site.options.timeouts
  const onTimeout = (pending: string) => {
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending])
    visit.abort(error)
    return error
  }
  try {
    if (!load) throw new HttpError(406, 'This page has no data; request text/html instead.')
    const json = await toPlainJson(values.at(-1), onTimeout, renderMs, (stop) => visit.watchLeaving(stop))
    if (!visit.isGone) sendJson(json, site, visit)
  } catch (thrown) {
    await respondWithError({ thrown, phase: 'load', origin: loadOf(serverFile) }, place, 'json', site, visit)
  }
}
