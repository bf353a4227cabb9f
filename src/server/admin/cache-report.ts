import type { SiteCache } from '../cache/app-page-cache.ts'
import { addCacheContents, type CacheContents, type CacheResult } from '../metrics/cache-counts.ts'
import type { MetricsSource } from './metrics.ts'

/** The page caches of all processes that serve. */
export interface CacheSource {
  contents(): Promise<CacheContents>
  /** Removes all pages. Resolves with false if a process has not confirmed it in time. */
  empty(): Promise<boolean>
}

/** The page cache of all processes together, as operators see it. */
export interface CacheReport {
  /** The number of stored responses. */
  entries: number
  /** The bytes of memory that they take. */
  bytes: number
  /** Responses that were removed because the memory was full, since the start. */
  evictions: number
  /** Calls that have invalidated or cleared the cache, since the start. */
  invalidations: number
  /** The pages with the export `cache`. */
  routes: CachedRouteReport[]
  /** The tags with the most stored responses, the most frequent first. */
  tags: CacheContents['tags']
}

export interface CachedRouteReport {
  route: string
  entries: number
  bytes: number
  /** Responses since the start. */
  responses: Record<CacheResult, number>
  /** The share of the responses that were stored, fresh or stale, from 0 to 1; null before the first response. */
  hitRate: number | null
}

/** Creates the source for sites in this process. */
export function createCacheSource(sites: readonly SiteCache[]): CacheSource {
  return {
    contents: async () => addCacheContents(sites.map((site) => site.contents())),
    async empty() {
      await Promise.all(sites.map((site) => site.clear()))
      return true
    },
  }
}

/** Returns the function that reads the report. */
export function createCacheReader(cache: CacheSource, metrics: Pick<MetricsSource, 'counts'>) {
  return async (): Promise<CacheReport> => {
    const [contents, counts] = await Promise.all([cache.contents(), metrics.counts()])
    const routes = contents.routes.map(({ route, entries, bytes }) => {
      const responses = { hit: 0, stale: 0, miss: 0, pass: 0 }
      for (const { result, count } of counts.routes.find((one) => one.route === route)?.cached ?? [])
        responses[result] = count
      return { route, entries, bytes, responses, hitRate: hitRateOf(responses) }
    })
    const { evictions, invalidations } = counts.stored
    return {
      entries: routes.reduce((sum, { entries }) => sum + entries, 0),
      bytes: routes.reduce((sum, { bytes }) => sum + bytes, 0),
      evictions,
      invalidations,
      routes,
      tags: contents.tags,
    }
  }
}

function hitRateOf({ hit, stale, miss, pass }: CachedRouteReport['responses']): number | null {
  const all = hit + stale + miss + pass
  return all === 0 ? null : (hit + stale) / all
}
