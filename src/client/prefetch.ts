import type { Answer } from './fetch-page.ts'

/** How long what was fetched ahead counts as fresh. */
const FRESH_MS = 10_000
/** How long the pointer has to rest on a link. */
const REST_MS = 60

interface Asked {
  answer: Promise<Answer>
  controller: AbortController
}

/**
 * Fetches module and data of a page whose link is pointed at, focused or touched. `take` gives what there is, once, or
 * asks. Not for visitors who save data, and not below `data-hydrant-prefetch="off"`.
 */
export function createPrefetcher(
  ask: (url: URL, signal: AbortSignal) => Promise<Answer>,
  isOurs: (url: URL) => boolean,
) {
  let ahead: (Asked & { href: string; until: number }) | null = null
  let timer: number | undefined
  // Not in the type declarations yet.
  const { connection } = navigator as { connection?: { saveData?: boolean } }

  function start(url: URL): Asked {
    const controller = new AbortController()
    const answer = ask(url, controller.signal)
    // Whoever takes it hears of it.
    answer.catch(() => {})
    return { answer, controller }
  }

  function startAhead(link: HTMLAnchorElement) {
    const url = new URL(link.href)
    const isHere = url.pathname + url.search === location.pathname + location.search
    if (connection?.saveData || isHere || !isOurs(url) || link.target || link.hasAttribute('download')) return
    if (link.closest('[data-hydrant-prefetch="off"],[data-hydrant-reload]') || isFresh(url)) return
    drop()
    ahead = { ...start(url), href: url.href, until: Date.now() + FRESH_MS }
  }

  function drop() {
    clearTimeout(timer)
    ahead?.controller.abort()
    ahead = null
  }

  function isFresh({ href }: URL): boolean {
    return ahead !== null && ahead.href === href && ahead.until > Date.now()
  }

  return {
    /** The visitor points at a link (`mouseover`, `focusin`, `touchstart`), or at none any more. */
    point(type: string, link?: Element | null) {
      clearTimeout(timer)
      // Links in SVG are other objects; what is no address of the web has no host.
      if (!(link instanceof HTMLAnchorElement && link.host)) return
      if (type === 'touchstart') startAhead(link)
      else timer = setTimeout(startAhead, REST_MS, link)
    },
    take(url: URL): Asked {
      const found = isFresh(url) ? ahead : null
      if (found) ahead = null
      drop()
      return found ?? start(url)
    },
    /** Throws away what there is: it was asked for beside a page that no longer stands. */
    drop,
  }
}
