import type { Prefetched, Prefetcher } from './prefetcher.ts'

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

/**
 * Returns the set of links that are visible now and have the attribute `visible`. `onSeen` is called after links have
 * become visible.
 */
function watchSeen(onSeen: () => void): Set<Element> {
  const seen = new Set<Element>()
  const observed = new WeakMap<Element, string>()
  let isWaiting = false
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) isIntersecting ? seen.add(target) : seen.delete(target)
    setTimeout(onSeen, SEEN_MS)
  })

  /** Observes the links that have not been observed with their URL. */
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
