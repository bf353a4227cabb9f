import type { Tree } from '../../shared/tree/app-tree.tsx'
import type { App } from '../app-state.ts'
import type { FetchResult } from '../read-page.ts'

/** How long a prefetched page may be used. */
const FRESH_MS = 10_000
const MAX_PAGES = 5
/** How many responses may be pending. Without HTTP/2, browsers open six connections to a server. */
const MAX_PENDING = 3

/** A page that is being fetched. */
export interface Prefetched {
  result: Promise<FetchResult>
  controller: AbortController
}

/** Requests a page. */
export type FetchAhead = (url: URL, init: Pick<RequestInit, 'signal' | 'priority'>) => Promise<FetchResult>

/** Why a page is prefetched: the visitor points at its link, a script asks for it, or its link is visible. */
type Reason = 'pointed' | 'asked' | 'seen'

export interface Ahead extends Prefetched {
  key: string
  reason: Reason
  /** The tree that was on the screen when the page was requested. */
  current: Tree
  isPending: boolean
}

/**
 * Holds the pages that are fetched in advance. A new page replaces the least recently used one. Discarding a page ends
 * its request.
 *
 * @param onSettled Called when a response has arrived or failed: another one may be requested.
 */
export function createPrefetchedPages(app: App, fetch: FetchAhead, onSettled: () => void) {
  /** By key, the least recently used first. */
  const pages = new Map<string, Ahead>()

  function discard(page: Ahead) {
    // Another page may have taken its place.
    if (pages.get(page.key) !== page) return
    pages.delete(page.key)
    page.controller.abort()
  }

  /** Returns the pending pages, the oldest first. */
  const findPending = () => [...pages.values()].filter(({ isPending }) => isPending)

  return {
    discard,
    findPending,
    get: (url: URL) => pages.get(keyOf(url)),
    hasPlace: () => findPending().length < MAX_PENDING,
    isFull: () => pages.size >= MAX_PAGES,
    /** Fetches a page that is neither fetched nor pending. */
    start(url: URL, reason: Reason): Ahead {
      const controller = new AbortController()
      const result = fetch(url, { signal: controller.signal, priority: reason === 'seen' ? 'low' : 'auto' })
      const page: Ahead = { key: keyOf(url), result, controller, reason, current: app.tree, isPending: true }
      pages.set(page.key, page)
      for (const oldest of pages.values()) if (pages.size > MAX_PAGES) discard(oldest)
      setTimeout(discard, FRESH_MS, page)
      result
        .then((result) => {
          // A redirect or an error may not happen again when the visitor follows the link.
          if (isKept(result)) page.isPending = 'rest' in result && result.rest !== null
          else discard(page)
        })
        .catch(() => discard(page))
        .then(onSettled)
      return page
    },
    /** Makes a page the most recently used one. */
    touch(page: Ahead) {
      pages.delete(page.key)
      pages.set(page.key, page)
    },
    /** Removes a page and returns it. Its request continues. */
    remove(url: URL): Ahead | undefined {
      const page = pages.get(keyOf(url))
      pages.delete(keyOf(url))
      return page
    },
    discardAll() {
      for (const page of pages.values()) discard(page)
    },
  }
}

function keyOf({ origin, pathname, search }: URL): string {
  return origin + pathname + search
}

function isKept(result: FetchResult): boolean {
  return result.kind === 'load' || (result.kind === 'page' && result.tree.leaf.kind !== 'shown')
}
