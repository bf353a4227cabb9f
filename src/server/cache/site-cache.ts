import { addCacheContents, type CacheContents } from './cache-contents.ts'
import type { PageCache } from './page-cache.ts'

/** The page cache of a site in this process, for the operators of the site. */
export interface SiteCache {
  contents(): CacheContents
  /** Removes all pages. Resolves when the other processes have been notified, or are unreachable. */
  clear(): Promise<unknown>
  /** Hands over the invalidations that the store has not recorded, or logs them. Closing the app does the same. */
  close(): Promise<void>
}

/** @param routes The routes of all pages with the export `cache`. `contents` has each of them. */
export function createSiteCache(cache: PageCache, routes: readonly string[]): SiteCache {
  const none: CacheContents = { routes: routes.map((route) => ({ route, entries: 0, bytes: 0 })), tags: [] }
  return {
    contents: () => addCacheContents([none, cache.contents()]),
    clear: () => cache.clear(),
    close: () => cache.close(),
  }
}
