import type { FastifyInstance, RawServerBase } from 'fastify'
import { checkInvalidation, type Invalidation } from './invalidation.ts'
import type { PageCache } from './page-cache.ts'

/** The stored pages of all sites of an app: `app.pageCache`. */
export interface AppPageCache {
  /**
   * Removes the stored responses that have one of the tags, and those of the path. A response that is being rendered
   * then is not stored. Resolves when the store that the processes share has recorded the invalidation, which the other
   * processes then read. If the store does not respond within 50 ms, the promise resolves too, and the invalidation is
   * recorded later. Never rejects because of the store. Rejects with HYD_CACHE_INVALIDATE for an argument that names no
   * stored responses.
   */
  invalidate(invalidation: Invalidation): Promise<void>
  /**
   * Removes all stored responses. A response that is being rendered then is not stored. Resolves when the store that
   * the processes share has recorded the removal, and after 50 ms at the latest: it is then recorded later. Never
   * rejects because of the store.
   */
  clear(): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The stored pages of Hydrant's sites in this app. */
    pageCache: AppPageCache
  }
}

/** Keyed by the server, which all instances of an app share. */
const caches = new WeakMap<RawServerBase, Set<PageCache>>()

/**
 * Adds the cache of a site to `app.pageCache`.
 *
 * @param cache Null for a site without stored pages.
 */
export function addPageCache(app: FastifyInstance, cache: PageCache | null) {
  const siteCaches = caches.get(app.server) ?? new Set()
  caches.set(app.server, siteCaches)
  if (cache) siteCaches.add(cache)
  const root = rootOf(app)
  if (root.hasDecorator('pageCache')) return
  root.decorate('pageCache', {
    async invalidate(invalidation) {
      checkInvalidation(invalidation)
      await Promise.all([...siteCaches].map((each) => each.invalidate(invalidation)))
    },
    async clear() {
      await Promise.all([...siteCaches].map((each) => each.clear()))
    },
  })
}

/** Fastify creates the instance of a scope with the instance around it as its prototype. */
function rootOf(app: FastifyInstance): FastifyInstance {
  const outer: unknown = Object.getPrototypeOf(app)
  // `Object.prototype` is the prototype of the outermost instance.
  return outer === Object.prototype || outer === null ? app : rootOf(outer as FastifyInstance)
}
