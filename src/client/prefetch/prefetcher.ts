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

/** Why a page is prefetched: the visitor points at its link, a script asks for it, or its link is visible. */
type Reason = 'pointed' | 'asked' | 'seen'

interface Ahead extends Prefetched {
  reason: Reason
  /** The tree that was on the screen when the page was requested. */
  current: Tree
  isPending: boolean
}

export type Prefetcher = ReturnType<typeof createPrefetcher>

/**
 * Creates the functions that fetch pages in advance. All of them share one budget: a number of pages, of which the
 * least recently used one makes room, and a number of pending responses. Each page is used once.
 *
 * @param nextSeen Returns the URL of a visible link whose page is not there.
 */
export function createPrefetcher(
  app: App,
  fetch: (url: URL, init: RequestInit) => Promise<FetchResult>,
  nextSeen: () => URL | undefined,
) {
  /** By URL, the least recently used first. */
  const pages = new Map<string, Ahead>()
  const asked: { url: URL; started: (page: Ahead) => void }[] = []

  function start(url: URL, reason: Reason): Ahead {
    const key = keyOf(url)
    const controller = new AbortController()
    const result = fetch(url, { signal: controller.signal, priority: reason === 'seen' ? 'low' : 'auto' })
    const page: Ahead = { result, controller, reason, current: app.tree, isPending: true }
    pages.set(key, page)
    for (const [oldest] of pages) if (pages.size > MAX_PAGES) forget(oldest)
    setTimeout(forget, FRESH_MS, key, page)
    result
      .then((result) => {
        // A redirect or an error may not happen again when the visitor follows the link.
        if (isKept(result)) page.isPending = 'isDeferred' in result && result.isDeferred
        else forget(key, page)
      })
      .catch(() => forget(key, page))
      .then(fill)
    return page
  }

  function forget(key: string, page = pages.get(key)) {
    if (!page || pages.get(key) !== page) return
    pages.delete(key)
    page.controller.abort()
  }

  /** Returns the pending pages, the oldest first. */
  const findPending = () => [...pages].filter(([, { isPending }]) => isPending)

  /** Starts what waits for a place. */
  function fill() {
    while (findPending().length < MAX_PENDING) {
      const next = asked.shift()
      if (next) {
        next.started(pages.get(keyOf(next.url)) ?? start(next.url, 'asked'))
        continue
      }
      const isIdle = app.navigation.get().state === 'idle'
      const url = isIdle && pages.size < MAX_PAGES && nextSeen()
      if (!url) return
      if (!pages.has(keyOf(url))) start(url, 'seen')
    }
  }

  app.navigation.subscribe(fill)
  return {
    fill,
    /** Fetches the page at which the visitor points. If there is no place for it, the oldest such request ends. */
    point(url: URL) {
      const key = keyOf(url)
      const known = pages.get(key)
      if (known) {
        pages.delete(key)
        pages.set(key, known)
        return
      }
      const pending = findPending()
      if (pending.length >= MAX_PENDING) {
        const oldest = pending.find(([, { reason }]) => reason !== 'asked')
        if (!oldest) return
        forget(oldest[0])
      }
      start(url, 'pointed')
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
      const key = keyOf(url)
      const page = pages.get(key)
      pages.delete(key)
      // The visitor waits for this page only.
      for (const [key, { reason }] of findPending()) if (reason !== 'asked') forget(key)
      const { controller } = page ?? { controller: new AbortController() }
      const request = () => fetch(url, { signal: controller.signal })
      if (!page) return { result: request(), controller }
      return {
        result: page.result.then((result) => (fits(result, page.current, app.tree) ? result : request()), request),
        controller,
      }
    },
    /** Discards all prefetched pages. */
    drop() {
      for (const key of [...pages.keys()]) forget(key)
    },
  }
}

function keyOf({ origin, pathname, search }: URL): string {
  return origin + pathname + search
}

function isKept(result: FetchResult): boolean {
  return result.kind === 'load' || (result.kind === 'page' && result.tree.leaf.kind !== 'shown')
}

/**
 * Returns whether a page that was requested when `then` was on the screen can replace `now`. It can if it takes over
 * all layouts that both share, with the data that they show now.
 */
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
