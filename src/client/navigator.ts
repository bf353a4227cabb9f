// Goes from page to page without loading documents. Loaded when somebody is about to.

import type { Tree } from '../shared/app-tree.tsx'
import { createActivity } from './activity.ts'
import type { App } from './app.ts'
import { ask } from './ask.ts'
import { createPrefetcher } from './prefetch.ts'
import { createSender, removeNotice } from './send.ts'
import { createAnnouncer, createProgress } from './signals.ts'

export type Navigator = ReturnType<typeof createNavigator>

/** A navigation on its way. */
export interface Journey {
  /** Resolves when the page is there; not at all when the visitor goes elsewhere. */
  ready: Promise<void>
  /** Lets it stand in the document. */
  show(): Promise<void>
}

/** How often a page may send the visitor on, before the browser is left to say that it never ends. */
const MAX_REDIRECTS = 20

interface Page {
  tree: Tree
  /** The data that came with it. */
  own: readonly unknown[]
  /** Ends what is still being received of it. */
  stop(): void
}

export function createNavigator(app: App, isOurs: (url: URL) => boolean) {
  // An action has changed something since: what stands, and what was fetched ahead, may be out of date.
  let isStale = false
  let departures = 0
  const prefetcher = createPrefetcher((url, signal) => ask(url, { signal }, app, isStale), isOurs)
  const begin = createActivity(app.navigation)
  createProgress(app.navigation)
  const announce = createAnnouncer()
  let shown = wholePage(app.tree)
  let redirects = 0

  /** @param from Where the visitor was, when the address has changed already. */
  function go(url: URL, event: NavigateEvent, from: string | null): Journey {
    departures++
    const { info, signal } = event
    if (info instanceof Prepared) return { ready: Promise.resolve(), show: () => show(wholePage(info.tree)) }
    // Before this script was there.
    if (signal.aborted) return { ready: never, show: () => never }
    const wasStale = isStale
    const end = begin({ state: 'loading', url })
    // A moment later, when it is for another page of the site.
    signal.addEventListener('abort', () => setTimeout(end))
    const coming = fetchPage(url, event, from)
    return {
      ready: coming.then(() => {}),
      async show() {
        await show(await coming)
        if (wasStale) isStale = false
        end()
      },
    }
  }

  async function fetchPage(url: URL, event: NavigateEvent, from: string | null): Promise<Page> {
    const { navigationType, signal } = event
    const { answer: asked, controller } = prefetcher.take(url)
    const stop = () => controller.abort()
    signal.addEventListener('abort', stop)
    // The network or a module: an ordinary page load lets the browser's own page speak.
    const answer = await asked.catch(() => ({ kind: 'load' }) as const)
    if (signal.aborted) return never
    if (answer.kind === 'page') return { ...answer, stop }
    const isReplaced = from !== null || navigationType === 'replace'
    if (answer.kind === 'redirect' && redirects++ < MAX_REDIRECTS) return move(answer.to, isReplaced)
    redirects = 0
    // Where the address has changed already, loading it would only be a reload: for the history the new document would
    // be that of the pages before it as well.
    if (from) history.replaceState(null, '', from)
    app.leaving = url.href
    return move(url.href, isReplaced)
  }

  async function show(page: Page) {
    const { own, stop } = shown
    shown = page
    // A layout that stays may still wait for data that came with the page before.
    if (!own.some((data) => data && page.tree.data.includes(data))) stop()
    prefetcher.drop()
    redirects = 0
    await app.show(page.tree)
    removeNotice()
    announce(document.title)
  }

  // It ends early when the visitor goes elsewhere meanwhile.
  async function depart(url: URL, history: NavigationHistoryBehavior, info?: Prepared) {
    if (url.origin !== location.origin || !('navigation' in window)) return location.assign(url.href)
    const { committed, finished } = navigation.navigate(url.href, { history, info })
    await Promise.allSettled([committed, finished])
  }

  const send = createSender(app, begin, {
    standing: () => departures,
    expire() {
      isStale = true
      prefetcher.drop()
    },
    /** Shows what an action has answered, at its address. All loads have run behind it. */
    async arrive(url, tree) {
      if (isHere(url)) await show(wholePage(tree))
      else await depart(url, 'auto', new Prepared(tree))
      isStale = false
    },
    /** Goes on to where an action leads; what stands there already is brought up to date in its place. */
    async follow(url) {
      if (!isHere(url)) return isOurs(url) ? depart(url, 'auto') : location.assign(url.href)
      const before = departures
      const answer = await ask(url, {}, app, true).catch(() => null)
      if (before !== departures) return
      if (answer?.kind !== 'page') {
        const to = answer?.kind === 'redirect' ? new URL(answer.to, url) : url
        return isHere(to) ? location.reload() : depart(to, 'auto')
      }
      await show(wholePage(answer.tree))
      isStale = false
      if (url.hash) location.hash = url.hash
    },
  })

  return { go, send, point: prefetcher.point }
}

function move(to: string, isReplaced: boolean): Promise<never> {
  if (isReplaced) location.replace(to)
  else location.assign(to)
  return never
}

const never = new Promise<never>(() => {})

const wholePage = (tree: Tree): Page => ({ tree, own: [], stop() {} })

/** A page that has been fetched already. */
class Prepared {
  readonly tree: Tree
  constructor(tree: Tree) {
    this.tree = tree
  }
}

function isHere({ origin, pathname, search }: URL): boolean {
  return origin + pathname + search === location.origin + location.pathname + location.search
}
