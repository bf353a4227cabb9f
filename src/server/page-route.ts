import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TreeLeaf } from '../shared/app-tree.tsx'
import { sendDocument, sendDocumentHead, sendJson } from './answer.ts'
import type { Build, Frame, Route } from './build.ts'
import { deferData } from './deferred.ts'
import { createHydrantError } from './errors.ts'
import { silencePromises } from './guard.ts'
import { nonceOf } from './headers.ts'
import { HttpError, NotFoundSignal } from './http-error.ts'
import { createLoadContext, type LoadStep, type Loads, runLoads } from './loads.ts'
import { pathAndQuery, withoutTrailingSlash } from './location.ts'
import { type Format, preferredErrorFormat, preferredFormat } from './negotiate.ts'
import { createPlan, type DocumentPlan, mayStream, renderScene } from './page-document.ts'
import { toPlainJson } from './plain-json.ts'
import { answerThrown, type Place, type Thrown } from './show.ts'
import type { Site } from './site.ts'
import { meaningOf } from './thrown.ts'
import { Visit } from './visit.ts'

const NO_PARAMS: Record<string, string> = {}

/** A page's route with what is the same for each of its requests. */
export interface PageRoute extends Route {
  /** The layouts' loads and the page's, outermost first. */
  steps: readonly LoadStep[]
  /** Set when none of them loads anything. */
  noLoads: Loads | null
  plan: DocumentPlan
}

export function createPageRoute(route: Route, build: Build): PageRoute {
  const { boot, scripts, serverFile } = route.page
  const steps = [...route.layouts, route.page]
  const noLoads: Loads = { kind: 'loaded', values: steps.map(() => undefined) }
  const plan = createPlan(
    {
      frame: route,
      level: route.layouts.length,
      bootLeaf: { kind: 'page', ...boot },
      scripts,
      dataFile: serverFile,
      canStream: route.canStream,
    },
    build,
  )
  return { ...route, steps, plan, noLoads: steps.every((step) => step.load === null) ? noLoads : null }
}

/** Answers GET and HEAD of a page. */
export async function servePage(
  route: PageRoute,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const visit = new Visit(request, reply, route.id, site.failures)
  const format = preferredFormat(request.headers)
  const params = paramsOf(route, request)
  const loads = route.noLoads ?? (await loadAll(route.steps, params, site, visit))
  if (visit.isGone || loads.kind === 'thrown' || format === 'json') silencePromises(loads.values)
  if (visit.isGone) return
  const place = createPlace(route, loads, params)
  if (loads.kind === 'thrown') return answerLoads(loads, place, format, site, visit)
  if (format === 'json') return answerJson(route, loads.values, place, site, visit)
  await answerDocument(route, loads.values, place, site, visit)
}

/** Answers a method that a page's URL does not have; `allowed` lists those that it has. */
export function refuseMethod(
  route: Route,
  allowed: string,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  reply.header('allow', allowed)
  const refusal = new HttpError(405, `${request.method} is not allowed here.`)
  return serveAround(
    route,
    route.id,
    refusal,
    paramsOf(route, request),
    preferredFormat(request.headers),
    site,
    request,
    reply,
  )
}

/** Answers a path that is no page: without its slash at the end, or with the 404 page. */
export async function serveUnknown(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const location = isRead ? withoutTrailingSlash(pathAndQuery(request.url)) : null
  if (location !== null) return void reply.redirect(location, 308)
  const format = preferredFormat(request.headers)
  await serveAround(site.build.root, '*', new NotFoundSignal(), NO_PARAMS, format, site, request, reply)
}

/** Answers what a hook or a route of the site's `server.ts` has thrown. */
export async function serveThrown(
  thrown: unknown,
  route: Route | null,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const format = route ? preferredFormat(request.headers) : preferredErrorFormat(request.headers)
  const params = route ? paramsOf(route, request) : NO_PARAMS
  const id = route?.id ?? request.routeOptions.url ?? '*'
  await serveAround(route ?? site.build.root, id, thrown, params, format, site, request, reply)
}

// What was thrown stands in the page's place, so the layouts around it are loaded first.
async function serveAround(
  frame: Frame,
  id: string,
  thrown: unknown,
  params: Record<string, string>,
  format: Format,
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const visit = new Visit(request, reply, id, site.failures)
  const isDocument = format === 'html' && request.method !== 'HEAD'
  const loads = isDocument ? await loadAll(frame.layouts, params, site, visit) : null
  const place: Place = { frame, params, layoutData: loads?.values ?? [] }
  const own: Thrown = { thrown, phase: 'route' }
  if (loads?.kind !== 'thrown') return answerThrown(own, place, format, site, visit)
  // A layout's load has thrown as well. Two failures are both told, the first is shown; otherwise the layout decides.
  if (meaningOf(thrown).kind !== 'failure') return answerLoads(loads, place, format, site, visit)
  visit.fail(thrown, { phase: 'route' })
  if (meaningOf(loads.thrown).kind === 'failure')
    visit.fail(loads.thrown, { phase: 'load', place: loadOf(loads.serverFile) })
  await answerThrown(own, place, format, site, visit)
}

function loadOf(file: string) {
  return { file, function: 'load' }
}

function loadAll(steps: readonly LoadStep[], params: Record<string, string>, site: Site, visit: Visit) {
  return runLoads(steps, createLoadContext(visit, site.app, params), visit, site.options.timeouts.loadMs)
}

function createPlace(route: Route, { values }: Loads, params: Record<string, string>): Place {
  return { frame: route, params, layoutData: values.slice(0, route.layouts.length) }
}

function answerLoads(
  loads: Extract<Loads, { kind: 'thrown' }>,
  place: Place,
  format: Format,
  site: Site,
  visit: Visit,
) {
  const { thrown, serverFile } = loads
  return answerThrown({ thrown, phase: 'load', origin: loadOf(serverFile) }, place, format, site, visit)
}

async function answerDocument(
  route: PageRoute,
  values: readonly unknown[],
  place: Place,
  site: Site,
  visit: Visit,
): Promise<void> {
  const { Component, css } = route.page
  const data = values.at(-1)
  try {
    if (visit.request.method === 'HEAD') {
      const { pendingCount } = deferData(values, route.plan.dataFiles, visit)
      return sendDocumentHead(pendingCount > 0 && mayStream(route.plan, visit), site, visit)
    }
    const leaf: TreeLeaf = { kind: 'page', Component, css, data }
    const { layoutData, params } = place
    const nonce = nonceOf(visit.reply)
    const rendered = await renderScene({ plan: route.plan, layoutData, leaf, params }, nonce, site, visit)
    if (rendered.kind === 'gone') return
    if (rendered.kind === 'thrown')
      return answerThrown({ thrown: rendered.thrown, phase: 'render' }, place, 'html', site, visit)
    sendDocument(rendered, nonce, site, visit)
  } catch (thrown) {
    await answerThrown({ thrown, phase: 'load', origin: loadOf(route.page.serverFile) }, place, 'html', site, visit)
  }
}

async function answerJson(
  route: Route,
  values: readonly unknown[],
  place: Place,
  site: Site,
  visit: Visit,
): Promise<void> {
  const { load, serverFile } = route.page
  const { renderMs } = site.options.timeouts
  const onTimeout = (pending: string) => {
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending])
    visit.abort(error)
    return error
  }
  try {
    if (!load) throw new HttpError(406, 'This page has no data; ask for text/html.')
    const json = await toPlainJson(values.at(-1), onTimeout, renderMs)
    if (!visit.isGone) sendJson(json, visit)
  } catch (thrown) {
    await answerThrown({ thrown, phase: 'load', origin: loadOf(serverFile) }, place, 'json', site, visit)
  }
}

function paramsOf(route: Route, request: FastifyRequest): Record<string, string> {
  // Fastify has decoded them once; all are strings.
  const params = request.params as Record<string, string>
  if (route.catchAll === null) return params
  const { '*': rest = '', ...others } = params
  return { ...others, [route.catchAll]: rest }
}
