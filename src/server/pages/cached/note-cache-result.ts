import type { RequestContext } from '../../context/request-context.ts'
import type { CacheResult } from '../../metrics/cache-counts.ts'

const RESULT_HEADER = 'hydrant-cache'

/** Sets the header `Hydrant-Cache`, if the site wants it. Call it before anything is sent. */
export function setCacheResult(result: CacheResult, { site, reply }: Pick<RequestContext, 'site' | 'reply'>) {
  if (site.options.pageCache.header) reply.header(RESULT_HEADER, result)
}

/** Counts a response and writes a line at the level debug. */
export function noteCacheResult(
  result: CacheResult,
  { site, request, route }: Pick<RequestContext, 'site' | 'request' | 'route'>,
) {
  site.metrics.cacheResponded(route, result)
  request.log.debug({ route, cache: result }, `page cache: ${result}`)
}
