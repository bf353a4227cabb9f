import type { FastifyInstance, RawServerBase } from 'fastify'
import { addCacheContents, type CacheContents } from '../metrics/cache-counts.ts'
import { checkInvalidation, type Invalidation, type InvalidationResult } from './cache-key.ts'
import type { PageCache } from './page-cache.ts'

/** The stored pages of all sites of an app: `app.pageCache`. */
export interface AppPageCache {
  /**
   * Removes the stored responses that have one of the tags, and those of the path. A response that is being rendered
   * then is not stored. Resolves when this process and the other workers of this machine no longer serve the responses,
   * and the store that several machines share has recorded the invalidation. The other machines read it from there some
   * milliseconds later. Resolves in any case after a tenth of a second; the result says whether the invalidation is
   * recorded. Never rejects because of the store. Rejects with HYD_CACHE_INVALIDATE for an argument that names no stored
   * responses.
   */
  invalidate(invalidation: Invalidation): Promise<InvalidationResult>
  /** Removes all stored responses, as `invalidate` does. */
  clear(): Promise<InvalidationResult>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The stored pages of Hydrant's sites in this app. */
    pageCache: AppPageCache
  }
}

/** Keyed by the server, which all instances of an app share. */
const caches = new WeakMap<RawServerBase, Set<PageCache>>()

/** Adds the cache of a site to `app.pageCache`; null for a site without stored pages. */
export function addPageCache(app: FastifyInstance, cache: PageCache | null) {
  const siteCaches = caches.get(app.server) ?? new Set()
  caches.set(app.server, siteCaches)
  if (cache) siteCaches.add(cache)
  const root = rootOf(app)
  if (root.hasDecorator('pageCache')) return
  async function changeAll(change: (cache: PageCache) => Promise<InvalidationResult>) {
    const results = await Promise.all([...siteCaches].map(change))
    return { isRecorded: results.every(({ isRecorded }) => isRecorded) }
  }
  root.decorate('pageCache', {
    async invalidate(invalidation) {
      checkInvalidation(invalidation)
      return changeAll((cache) => cache.invalidate(invalidation))
    },
    clear: () => changeAll((cache) => cache.clear()),
  })
}

/** Fastify creates the instance of a scope with the instance around it as its prototype. */
function rootOf(app: FastifyInstance): FastifyInstance {
  const outer: unknown = Object.getPrototypeOf(app)
  // `Object.prototype` is the prototype of the outermost instance.
  return outer === Object.prototype || outer === null ? app : rootOf(outer as FastifyInstance)
}

/** The page cache of a site in this process, for the operators of the site. */
export type SiteCache = ReturnType<typeof createSiteCache>

/** @param routes The routes of all pages with the export `cache`. `contents` has each of them. */
export function createSiteCache(cache: PageCache, routes: readonly string[]) {
  const none: CacheContents = { routes: routes.map((route) => ({ route, entries: 0, bytes: 0 })), tags: [] }
  return {
    contents: (): CacheContents => addCacheContents([none, cache.contents()]),
    /** Removes all pages. Resolves when the other processes have been notified, or are unreachable. */
    clear: (): Promise<unknown> => cache.clear(),
    /** Hands over the invalidations that the store has not recorded, or logs them. Closing the app does the same. */
    close: () => cache.close(),
  }
}
