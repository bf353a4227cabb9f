import type { FastifyInstance, RawServerBase } from 'fastify'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { addCacheContents, type CacheContents } from '../metrics/cache-counts.ts'
import {
  checkInvalidation,
  type Invalidation,
  type InvalidationResult,
  isTag,
  tagsToInvalidate,
  toStoredTag,
} from './cache-key.ts'
import type { PageCache } from './page-cache.ts'
import { EVERY_TAG, type SharedStore } from './shared/shared-store.ts'

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

/** What an app tells the pages that visitors have open: `app.live`. */
export interface AppLive {
  /**
   * Makes every open page with one of the topics (export `live`) run its loads again, in all workers and on all machines
   * that share the store of the page cache. Removes the stored responses that have a tag of the same name, as
   * `app.pageCache.invalidate` does, which this function resolves as. Rejects with HYD_LIVE_TOPIC for anything but texts
   * that are not empty.
   */
  publish(...topics: string[]): Promise<InvalidationResult>
  /** Returns how many open pages in this process have the topic: whether somebody would see what it costs to find out. */
  count(topic: string): number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The open pages of Hydrant's sites in this app. */
    live: AppLive
  }
}

/** The stored and the open pages of one site. */
export interface SitePages extends Pick<PageCache, 'invalidate' | 'clear'> {
  /** Returns how many open pages have the topic. */
  count?(topic: string): number
}

/** Keyed by the server, which all instances of an app share. */
const sites = new WeakMap<RawServerBase, Set<SitePages>>()

/** Adds a site to `app.pageCache` and `app.live`; null for one without stored or live pages. */
export function addSitePages(app: FastifyInstance, added: SitePages | null) {
  const all = sites.get(app.server) ?? new Set()
  sites.set(app.server, all)
  if (added) all.add(added)
  const root = rootOf(app)
  if (root.hasDecorator('pageCache')) return
  async function changeAll(change: (pages: SitePages) => Promise<InvalidationResult>) {
    const results = await Promise.all([...all].map(change))
    return { isRecorded: results.every(({ isRecorded }) => isRecorded) }
  }
  root.decorate('pageCache', {
    async invalidate(invalidation) {
      checkInvalidation(invalidation)
      return changeAll((pages) => pages.invalidate(invalidation))
    },
    clear: () => changeAll((pages) => pages.clear()),
  })
  root.decorate('live', {
    async publish(...topics) {
      if (topics.length === 0 || !topics.every(isTag))
        throw createHydrantError('HYD_LIVE_TOPIC', [showValue(topics.find((topic) => !isTag(topic)))])
      return changeAll((pages) => pages.invalidate({ tags: topics }))
    },
    count: (topic) => [...all].reduce((sum, { count }) => sum + (count?.(toStoredTag(topic)) ?? 0), 0),
  })
}

/** The open pages of a site: see `LivePages`. */
interface OpenPages {
  begin(): () => void
  publish(topics: readonly string[], isRecorded: boolean): void
  count(topic: string): number
}

const recorded = async (isRecorded: Promise<boolean> | undefined) => ({ isRecorded: (await isRecorded) ?? true })

/**
 * Returns the pages of a site. What is invalidated is removed from the cache first, so that open pages do not get it again.
 *
 * @param live The open pages; null for a site without live pages.
 */
export function joinPages(
  cache: PageCache | null,
  live: OpenPages | null,
  store: SharedStore | null,
): SitePages | null {
  if (live === null) return cache
  const { begin, publish, count } = live
  async function change(tags: readonly string[], record: () => Promise<InvalidationResult>) {
    const end = begin()
    try {
      const result = await record()
      publish(tags, result.isRecorded)
      return result
    } finally {
      end()
    }
  }
  return {
    invalidate(invalidation) {
      const tags = tagsToInvalidate(invalidation)
      return change(tags, () => (cache ? cache.invalidate(invalidation) : recorded(store?.invalidate(tags))))
    },
    clear: () => change([EVERY_TAG], () => (cache ? cache.clear() : recorded(store?.clear()))),
    count,
  }
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
export function createSiteCache(cache: PageCache, pages: SitePages, routes: readonly string[]) {
  const none: CacheContents = { routes: routes.map((route) => ({ route, entries: 0, bytes: 0 })), tags: [] }
  return {
    contents: (): CacheContents => addCacheContents([none, cache.contents()]),
    /** Removes all pages. Resolves when the other processes have been notified, or are unreachable. */
    clear: (): Promise<unknown> => pages.clear(),
    /** Hands over the invalidations that the store has not recorded, or logs them. Closing the app does the same. */
    close: () => cache.close(),
  }
}
