import { LRUCache } from 'lru-cache'
import type { StoredCounts } from '../metrics/cache-counts.ts'
import { addCacheContents, type CacheContents } from './cache-contents.ts'
import type { StoredPage } from './stored-page.ts'

/** Pages by their keys and tags, within a limit of memory. */
export interface TaggedPages {
  get(key: string): StoredPage | undefined
  add(key: string, page: StoredPage): void
  delete(key: string): void
  /** Counts the memory of a page again, if it is still stored. */
  recount(key: string, page: StoredPage): void
  /** Removes the pages with one of the tags. */
  deleteTagged(tags: readonly string[]): void
  clear(): void
  counts(): Omit<StoredCounts, 'invalidations'>
  /** Counts the stored responses, by route and by tag. */
  contents(): CacheContents
}

export function createTaggedPages(maxBytes: number): TaggedPages {
  const keysByTag = new Map<string, Set<string>>()
  let evictions = 0
  const pages = new LRUCache<string, StoredPage>({
    maxSize: maxBytes,
    sizeCalculation: sizeOf,
    dispose(page, key, reason) {
      if (reason === 'evict') evictions++
      forgetTags(key, page)
    },
  })

  function add(key: string, page: StoredPage) {
    pages.set(key, page)
    // A page that is larger than the cache is not kept.
    if (!pages.has(key)) return
    for (const tag of page.response.tags) {
      const keys = keysByTag.get(tag) ?? new Set()
      keysByTag.set(tag, keys.add(key))
    }
  }

  function forgetTags(key: string, { response }: StoredPage) {
    for (const tag of response.tags) {
      const keys = keysByTag.get(tag)
      keys?.delete(key)
      if (keys?.size === 0) keysByTag.delete(tag)
    }
  }

  return {
    get: (key) => pages.get(key),
    add,
    delete: (key) => void pages.delete(key),
    recount(key, page) {
      if (pages.peek(key) !== page) return
      // `lru-cache` counts the memory of a page again only if it is new.
      pages.delete(key)
      add(key, page)
    },
    deleteTagged(tags) {
      for (const tag of tags) for (const key of [...(keysByTag.get(tag) ?? [])]) pages.delete(key)
    },
    clear: () => pages.clear(),
    counts: () => ({ entries: pages.size, bytes: pages.calculatedSize, evictions }),
    contents: () =>
      addCacheContents([
        {
          routes: Array.from(pages.entries(), ([key, page]) => ({
            route: page.route,
            entries: 1,
            bytes: sizeOf(page, key),
          })),
          tags: [...keysByTag].map(([tag, { size }]) => ({ tag, entries: size })),
        },
      ]),
  }
}

/** Returns the memory that a page takes with its key, in bytes. */
const sizeOf = (page: StoredPage, key: string) => page.size + 2 * key.length
