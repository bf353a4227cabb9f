import type { Tree } from '../shared/tree/app-tree.tsx'
import { navigationStore } from '../shared/tree/browser-state.ts'
import type { App } from './app.tsx'
import type { FetchResult } from './read-page.ts'

type Prefetcher = ReturnType<typeof createPrefetcher>

/**
 * Creates the functions that fetch pages in advance. All of them share one budget: a number of pages and a
 * number of pending responses. The least recently used page is removed first. Each page is used once.
 *
 * @param nextSeen Returns the URL of a visible link whose page is not there.
 */
export function createPrefetcher(app: App, fetch: FetchAhead, nextSeen: () => URL | undefined) {
  const pages = createPrefetchedPages(app, fetch, fill)
  const asked: { url: URL; started: (page: Ahead) => void }[] = []

  /** Starts what waits for a place. */
  function fill() {
    while (pages.hasPlace()) {
      const next = asked.shift()
      if (next) {
        next.started(pages.get(next.url) ?? pages.start(next.url, 'asked'))
        continue
      }
      const isIdle = navigationStore.get().state === 'idle'
      const url = isIdle && !pages.isFull() && nextSeen()
      if (!url) return
      if (!pages.get(url)) pages.start(url, 'seen')
    }
  }

  navigationStore.subscribe(fill)
  return {
    fill,
    /** Fetches the page at which the visitor points. If there is no place for it, the oldest such request ends. */
    point(url: URL) {
      const existing = pages.get(url)
      if (existing) return pages.touch(existing)
      if (!pages.hasPlace()) {
        const oldest = pages.findPending().find(({ reason }) => reason !== 'asked')
        if (!oldest) return
        pages.discard(oldest)
      }
      pages.start(url, 'pointed')
    },
    /** Fetches a page when there is a place for it. Resolves when it is there or cannot be fetched. */
    async ask(url: URL): Promise<void> {
      const page = await new Promise<Ahead>((started) => {
        asked.push({ url, started })
        fill()
      })
      await page.result.catch(() => {})
    },
    /** Returns the prefetched page, or starts to fetch it. */
    take(url: URL): Prefetched {
      const page = pages.remove(url)
      // The visitor waits for this page only.
      for (const other of pages.findPending()) if (other.reason !== 'asked') pages.discard(other)
      const { controller } = page ?? { controller: new AbortController() }
      const request = () => fetch(url, { signal: controller.signal })
      if (!page) return { result: request(), controller }
      return {
        result: page.result.then((result) => (fits(result, page.current, app.tree) ? result : request()), request),
        controller,
      }
    },
    drop: pages.discardAll,
  }
}

/** Returns whether a page requested on `then` can replace `now`: it takes over the layouts and data of both. */
function fits(result: FetchResult, then: Tree, now: Tree): boolean {
  if (result.kind !== 'page' || then === now) return true
  const { tree, newData } = result
  const kept = tree.data.length - newData.length
  const shared = tree.layouts.findIndex(({ key }, index) => key !== now.layouts[index]?.key)
  return (
    kept === (shared === -1 ? tree.layouts.length : shared) &&
    tree.data.slice(0, kept).every((data, index) => data === now.data[index])
  )
}

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

type FetchAhead = (url: URL, init: Pick<RequestInit, 'signal' | 'priority'>) => Promise<FetchResult>

/** Why a page is prefetched: the visitor points at its link, a script asks for it, or its link is visible. */
type Reason = 'pointed' | 'asked' | 'seen'

interface Ahead extends Prefetched {
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
 * @param onSettled Called when a response is complete or has failed: another one may be requested.
 */
function createPrefetchedPages(app: App, fetch: FetchAhead, onSettled: () => void) {
  /** By key, the least recently used first. */
  const pages = new Map<string, Ahead>()

  function discard(page: Ahead) {
    // Another page may have taken its place.
    if (pages.get(page.key) !== page) return
    pages.delete(page.key)
    page.controller.abort()
  }

  const findPending = () => [...pages.values()].filter(({ isPending }) => isPending)

  return {
    discard,
    findPending,
    get: (url: URL) => pages.get(pageKey(url)),
    hasPlace: () => findPending().length < MAX_PENDING,
    isFull: () => pages.size >= MAX_PAGES,
    /** Fetches a page that is neither fetched nor pending. */
    start(url: URL, reason: Reason): Ahead {
      const controller = new AbortController()
      const result = fetch(url, { signal: controller.signal, priority: reason === 'seen' ? 'low' : 'auto' })
      const page: Ahead = { key: pageKey(url), result, controller, reason, current: app.tree, isPending: true }
      pages.set(page.key, page)
      for (const oldest of pages.values()) if (pages.size > MAX_PAGES) discard(oldest)
      setTimeout(discard, FRESH_MS, page)
      result
        .then(async (result) => {
          // A redirect or an error may not happen again when the visitor follows the link.
          if (!isKept(result)) return discard(page)
          if ('rest' in result) await result.rest
          page.isPending = false
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
      const page = pages.get(pageKey(url))
      pages.delete(pageKey(url))
      return page
    },
    discardAll() {
      for (const page of pages.values()) discard(page)
    },
  }
}

function pageKey({ origin, pathname, search }: URL): string {
  return origin + pathname + search
}

function isKept(result: FetchResult): boolean {
  return result.kind === 'load' || (result.kind === 'page' && result.tree.leaf.kind !== 'shown')
}

/** How long the pointer has to rest on a link before its page is fetched. */
const REST_MS = 60
/** How long a link has to be visible before its page is fetched. */
const SEEN_MS = 200

const MODE = 'data-hydrant-prefetch'

/**
 * Creates the functions that prefetch the pages of links: `data-hydrant-prefetch` of the link, or of the nearest
 * element around it that has the attribute, is `hover` (the default), `visible` or `off`. Nothing is prefetched for
 * visitors who save data or have a slow connection.
 */
export function createLinks(prefetcher: Prefetcher, canPrefetch: (url: URL) => boolean) {
  const seen = watchSeen(prefetcher.fill)
  let resting: number | undefined

  /** Returns the URL to prefetch, if the link may be prefetched. */
  function urlOf(link: Element): URL | undefined {
    // Links in SVG are other objects, and links to other schemes have no host.
    if (!(link instanceof HTMLAnchorElement && link.host) || link.target || link.hasAttribute('download')) return
    if (modeOf(link) === 'off' || link.closest('[data-hydrant-reload]') || isSaving()) return
    const url = new URL(link.href)
    return canPrefetch(url) ? url : undefined
  }

  function point(link: Element) {
    const url = urlOf(link)
    if (url) prefetcher.point(url)
  }

  return {
    /** Handles `mouseover`, `focusin` and `touchstart`. `link` is missing if the visitor does not point at a link. */
    point(type: string, link?: Element | null) {
      clearTimeout(resting)
      if (!link) return
      if (type === 'touchstart') point(link)
      else resting = setTimeout(point, REST_MS, link)
    },
    /** Returns the prefetched page, or starts to fetch it. The link need not be prefetched anymore. */
    take(url: URL): Prefetched {
      clearTimeout(resting)
      return prefetcher.take(url)
    },
    /** Returns the URL of a visible link, once, as long as it stays visible. */
    nextSeen(): URL | undefined {
      for (const link of seen) {
        seen.delete(link)
        const url = modeOf(link) === 'visible' ? urlOf(link) : undefined
        if (url) return url
      }
      return undefined
    },
  }
}

/** Returns the visible links with the attribute `visible`, kept up to date. `onSeen` is called for new ones. */
function watchSeen(onSeen: () => void): Set<Element> {
  const seen = new Set<Element>()
  const observed = new WeakMap<Element, string>()
  let isWaiting = false
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) isIntersecting ? seen.add(target) : seen.delete(target)
    setTimeout(onSeen, SEEN_MS)
  })

  function observe() {
    isWaiting = false
    for (const link of document.querySelectorAll<HTMLAnchorElement>(`a[${MODE}=visible],[${MODE}=visible] a`)) {
      if (observed.get(link) === link.href) continue
      observed.set(link, link.href)
      // Observing the link again reports it again if it is visible.
      observer.unobserve(link)
      observer.observe(link)
    }
  }

  new MutationObserver(() => {
    if (!isWaiting) setTimeout(observe, REST_MS)
    isWaiting = true
  }).observe(document, { attributeFilter: ['href', MODE], childList: true, subtree: true })
  observe()
  return seen
}

function modeOf(link: Element): string | null | undefined {
  return link.closest(`[${MODE}]`)?.getAttribute(MODE)
}

function isSaving(): boolean {
  // TypeScript's DOM types do not contain `connection`.
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } }
  return Boolean(connection?.saveData || connection?.effectiveType?.endsWith('2g'))
}
