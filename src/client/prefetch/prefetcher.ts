import type { Tree } from '../../shared/tree/app-tree.tsx'
import type { App } from '../app-state.ts'
import type { FetchResult } from '../read-page.ts'
import { type Ahead, createPrefetchedPages, type FetchAhead, type Prefetched } from './prefetched-pages.ts'

export type Prefetcher = ReturnType<typeof createPrefetcher>

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
      const isIdle = app.platform.navigation.get().state === 'idle'
      const url = isIdle && !pages.isFull() && nextSeen()
      if (!url) return
      if (!pages.get(url)) pages.start(url, 'seen')
    }
  }

  app.platform.navigation.subscribe(fill)
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
