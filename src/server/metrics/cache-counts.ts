/**
 * How a response of a page with the export `cache` was made. `hit`: it was stored. `stale`: it was stored, and is
 * rendered again. `miss`: it was rendered and stored. `pass`: it was rendered for this visitor only.
 */
export type CacheResult = 'hit' | 'stale' | 'miss' | 'pass'

/** Why a rendered response was not stored: a load has read the visitor, a header forbids it, or its document does. */
export type RefusalReason = 'read' | 'header' | 'document'

/** What the page cache of one process holds, and its counts since the start. Plain data, for messages. */
export interface StoredCounts {
  /** Responses in memory. */
  entries: number
  /** The memory that they take, in bytes. */
  bytes: number
  /** Responses that were removed because the memory was full. */
  evictions: number
  /** Calls of `invalidate` and `clear` in this process. */
  invalidations: number
}

const NOTHING_STORED: StoredCounts = { entries: 0, bytes: 0, evictions: 0, invalidations: 0 }

/** Adds up the counts of several caches. */
export function addStoredCounts(all: readonly StoredCounts[]): StoredCounts {
  return all.reduce(
    (sum, { entries, bytes, evictions, invalidations }) => ({
      entries: sum.entries + entries,
      bytes: sum.bytes + bytes,
      evictions: sum.evictions + evictions,
      invalidations: sum.invalidations + invalidations,
    }),
    NOTHING_STORED,
  )
}

/** Returns the final counts of a process that has ended: its memory is gone. */
export function endStoredCounts(counts: StoredCounts): StoredCounts {
  return { ...counts, entries: 0, bytes: 0 }
}

/** What page caches hold. Plain data, for messages between processes. */
export interface CacheContents {
  /** Pages with the export `cache`. `bytes` is the memory of their stored responses. */
  routes: readonly { route: string; entries: number; bytes: number }[]
  /** The tags with the most stored responses, the most frequent first. */
  tags: readonly TagCount[]
}

interface TagCount {
  tag: string
  /** The number of stored responses with this tag. */
  entries: number
}

const MAX_SHOWN_TAGS = 20

/** Returns the tags with the most entries, the most frequent first. */
function fullestTags(tags: readonly TagCount[]): TagCount[] {
  return [...tags].sort((a, b) => b.entries - a.entries || (a.tag < b.tag ? -1 : 1)).slice(0, MAX_SHOWN_TAGS)
}

/** Adds up contents. Those of one cache may have several rows of a route. */
export function addCacheContents(all: readonly CacheContents[]): CacheContents {
  const routes = new Map<string, { entries: number; bytes: number }>()
  const tags = new Map<string, number>()
  for (const contents of all) {
    for (const { route, entries, bytes } of contents.routes) {
      const sum = routes.get(route) ?? { entries: 0, bytes: 0 }
      routes.set(route, { entries: sum.entries + entries, bytes: sum.bytes + bytes })
    }
    for (const { tag, entries } of contents.tags) tags.set(tag, (tags.get(tag) ?? 0) + entries)
  }
  return {
    routes: [...routes].map(([route, stored]) => ({ route, ...stored })),
    tags: fullestTags([...tags].map(([tag, entries]) => ({ tag, entries }))),
  }
}
