// The streams that tell open pages when to refresh. A page asks for one at its own address, as for a navigation: proxies,
// hooks and guards decide about it as they decide about the page.

import { EVENTS_TYPE } from '../../shared/wire/navigation-protocol.ts'
import type { LiveFunction } from '../build-output/module-exports.ts'
import type { LoadContext } from '../build-output/page-contexts.ts'
import { isTag, pathTag, toStoredTag } from '../cache/cache-key.ts'
import type { RequestContext } from '../context/request-context.ts'
import { createResponse, type PageResponse } from '../context/response.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { catchError } from '../failures/failure-context.ts'
import { addressGroup } from '../guards/request-limits.ts'
import { FORMATS } from '../http/formats.ts'
import { BUSY } from '../http/problem.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'
import { admit, makeGuardError } from './admit.ts'
import { createLoadContext, createPageLoadContext } from './loads.ts'
import type { PreparedRoute } from './prepared-route.ts'

/** Whether an open page asks for its stream. */
export function asksForEvents({ format, request: { headers } }: RequestContext): boolean {
  return FORMATS[format].isNavigation && headers.accept === EVENTS_TYPE
}

/** Opens the stream of a page, after its guards. Loads do not run. */
export async function openStream(route: PreparedRoute, ctx: RequestContext): Promise<PageResponse | null> {
  const { site, request } = ctx
  const admitted = await admit(route, ctx)
  if (admitted !== 'passed') return admitted
  // The browser then asks no more.
  if (!route.isLive || site.live === null) return createResponse('events', null, { status: 204 })
  try {
    const topics = await topicsOf(route, ctx)
    if (ctx.isGone) return null
    const since = request.headers['last-event-id']
    const stream = site.live.open(topics, since === undefined ? null : String(since), addressGroup(request.ip))
    if (stream === null) {
      site.metrics.requestShed('streams')
      return createResponse('events', null, { status: BUSY, headers: { 'retry-after': '60' } })
    }
    ctx.isEndless = true
    return createResponse('events', stream, { isStreamed: true, audience: 'nobody' })
  } catch (thrown) {
    return await makeGuardError(
      route,
      catchError(thrown, 'load', { file: route.page.serverFile, function: 'live' }),
      0,
      ctx,
    )
  }
}

/** The most topics of a page with its layouts. */
const MAX_TOPICS = 100

/** Returns the topics of a page and its layouts, and its path. Rejects with HYD_LIVE_TOPICS, or HYD_LOAD_TIMEOUT. */
async function topicsOf({ layouts, page }: PreparedRoute, ctx: RequestContext): Promise<string[]> {
  const { loadMs } = ctx.site.options.timeouts
  const deadline = createDeadline(loadMs)
  const topics = new Set<string>()
  try {
    for (const { live, serverFile } of [...layouts, page]) {
      if (live === null) continue
      const context = live === page.live ? createPageLoadContext(ctx) : createLoadContext(ctx)
      const listed = await Promise.race([call(live, context), deadline.passed])
      if (listed === DEADLINE) throw createHydrantError('HYD_LOAD_TIMEOUT', [loadMs, `live of ${serverFile}`])
      const isList = Array.isArray(listed) && listed.every(isTag)
      if (isList) for (const topic of listed) topics.add(toStoredTag(topic))
      if (!isList || topics.size > MAX_TOPICS)
        throw createHydrantError('HYD_LIVE_TOPICS', [serverFile, showValue(listed)])
    }
  } finally {
    deadline.clear()
  }
  return [pathTag(ctx.path), ...topics]
}

const call = async (live: LiveFunction, context: LoadContext): Promise<unknown> => live(context)
