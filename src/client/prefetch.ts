import type { FetchResult } from './read-page.ts'

/** How long a prefetched page may be used. */
const FRESH_MS = 10_000
/** How long the pointer has to rest on a link before its page is fetched. */
const REST_MS = 60

/** A page that is being fetched. */
export interface Prefetched {
  result: Promise<FetchResult>
  controller: AbortController
}

/**
 * Creates the functions that fetch the page of a link when the visitor points at it, focuses it or touches it. Does
 * nothing for visitors who save data, and inside `data-hydrant-prefetch="off"`.
 */
export function createPrefetcher(
  fetch: (url: URL, signal: AbortSignal) => Promise<FetchResult>,
  isOurs: (url: URL) => boolean,
) {
  let ahead: (Prefetched & { href: string; until: number }) | null = null
  let timer: number | undefined
  // TypeScript's DOM types do not contain `connection`.
  const { connection } = navigator as { connection?: { saveData?: boolean } }

  function start(url: URL): Prefetched {
    const controller = new AbortController()
    const result = fetch(url, controller.signal)
    // The caller of `take` handles the rejection. A page that is never taken has no handler.
    result.catch(() => {})
    return { result, controller }
  }

  function startAhead(link: HTMLAnchorElement) {
    const url = new URL(link.href)
    const isHere = url.pathname + url.search === location.pathname + location.search
    if (connection?.saveData || isHere || !isOurs(url) || link.target || link.hasAttribute('download')) return
    if (link.closest('[data-hydrant-prefetch="off"],[data-hydrant-reload]') || isFresh(url)) return
    drop()
    ahead = { ...start(url), href: url.href, until: Date.now() + FRESH_MS }
  }

  /** Discards the prefetched page: it was fetched for a current page that is being replaced. */
  function drop() {
    clearTimeout(timer)
    ahead?.controller.abort()
    ahead = null
  }

  function isFresh({ href }: URL): boolean {
    return ahead !== null && ahead.href === href && ahead.until > Date.now()
  }

  return {
    /** Handles `mouseover`, `focusin` and `touchstart`. `link` is missing if the visitor does not point at a link. */
    point(type: string, link?: Element | null) {
      clearTimeout(timer)
      // Links in SVG are other objects, and links to other schemes have no host.
      if (!(link instanceof HTMLAnchorElement && link.host)) return
      if (type === 'touchstart') startAhead(link)
      else timer = setTimeout(startAhead, REST_MS, link)
    },
    /** Returns the prefetched page, once, or starts to fetch it. */
    take(url: URL): Prefetched {
      const prefetched = isFresh(url) ? ahead : null
      if (prefetched) ahead = null
      drop()
      return prefetched ?? start(url)
    },
    drop,
  }
}
