import { PERMANENT } from '../build-output/cache-rule.ts'
import { pathTag } from '../cache/cache-key.ts'
import type { PageCache, RenderingResult } from '../cache/page-cache.ts'
import { formOf, type PrerenderedRedirect } from '../cache/prerendered-pages.ts'
import type { RequestContext } from '../context/request-context.ts'
import { mayReport } from '../http/negotiate.ts'
import { messageOf } from '../util/unknown-values.ts'
import { countKeptLayouts } from './document-plan.ts'
import type { PreparedRoute } from './prepared-route.ts'

/** Returns the file of the response that the build has rendered for a request; null if there is none. */
export function findPrerendered({ prerender, plan }: PreparedRoute, ctx: RequestContext): string | null {
  const { prerendered, options } = ctx.site
  if (!prerender || !prerendered) return null
  const { request, format, path } = ctx
  if (mayReport(options.reports, request.headers) !== prerendered.index.mayReport) return null
  return prerendered.find(path, formOf(format, countKeptLayouts(plan, ctx)))
}

/**
 * Returns the redirect that the build has stored for a request; null if there is none, or if the page has been invalidated
 * since this process started.
 */
export function findRedirect(
  { prerender }: PreparedRoute,
  cache: PageCache,
  { site, path, address }: RequestContext,
): PrerenderedRedirect | null {
  if (!prerender || !site.prerendered || !cache.wasNeverInvalidated([pathTag(path)])) return null
  return site.prerendered.findRedirect(path, address.origin)
}

/**
 * Puts a response of the build into the cache. Resolves with null if it cannot be read, or if the page has been
 * invalidated since this process started: it is rendered then.
 */
export async function storePrerendered(
  file: string,
  { key, cache }: { key: string; cache: PageCache },
  ctx: RequestContext,
): Promise<RenderingResult> {
  const { site, address, path, route, request } = ctx
  const tags = [pathTag(path)]
  if (!site.prerendered || !cache.wasNeverInvalidated(tags)) return null
  const running = cache.awaitRendering(key)
  if (running) return running
  const rendering = cache.begin(key, route)
  try {
    const { freshMs, staleMs } = PERMANENT
    const response = await site.prerendered.read(file, address.origin)
    const given = { id: file, tags, freshMs, staleMs, isPermanent: true, storedAt: Date.now() } as const
    return rendering.store({ ...response, ...given })
  } catch (error) {
    request.log.warn({ route, file }, `a prerendered page cannot be read, so it is rendered: ${messageOf(error)}`)
    return null
  } finally {
    rendering.giveUp()
  }
}
