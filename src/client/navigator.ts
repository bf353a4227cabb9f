// Goes from page to page without loading documents. Loaded when somebody is about to.

import type { Tree } from '../shared/tree/app-tree.tsx'
import type { App } from './app-state.ts'
import { ask } from './fetch-page.ts'
import { takeForms } from './intercept-forms.ts'
import { createActivity } from './navigation-activity.ts'
import { removeNotices } from './notice.ts'
import { createPrefetcher } from './prefetch.ts'
import { createAnnouncer, createProgress } from './progress.ts'
import { createSender } from './submit-form.ts'

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
  let formsSent = 0
  const prefetcher = createPrefetcher((url, signal) => ask(url, { signal }, app, isStale), isOurs)
  const begin = createActivity(app.navigation)
  createProgress(app.navigation)
  const announce = createAnnouncer()
  let shown = wholePage(app.tree)
  let redirects = 0

  /** @param from Where the visitor was, when the address has changed already. */
  function go(url: URL, event: NavigateEvent, from: string | null): Journey {
    const { info, signal } = event
    if (info instanceof Prepared) return { ready: Promise.resolve(), show: () => show(info.page) }
    departures++
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
    const sentBefore = formsSent
    const { answer: asked, controller } = prefetcher.take(url)
    const stop = () => controller.abort()
    signal.addEventListener('abort', stop)
    // The network or a module: an ordinary page load lets the browser's own page speak.
    const answer = await asked.catch(() => ({ kind: 'load' }) as const)
    if (signal.aborted) return never
    // A form that is sent ends it, as in any document, as long as the address has not changed.
    if (from === null && sentBefore !== formsSent) {
      stop()
      throw new DOMException('A newer form was sent.', 'AbortError')
    }
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
    redirects = 0
    await put(page)
    removeNotices()
    announce(document.title)
  }

  function put(page: Page): Promise<void> {
    const { own, stop } = shown
    shown = page
    // A layout that stays may still wait for data that came with the page before.
    if (!own.some((data) => data && page.tree.data.includes(data))) stop()
    prefetcher.drop()
    return app.show(page.tree)
  }

  /** Fetches a page anew, with all of its layouts. */
  async function fetchAnew(url: URL) {
    const controller = new AbortController()
    const stop = () => controller.abort()
    const answer = await ask(url, { signal: controller.signal }, app, true).catch(() => ({ kind: 'load' }) as const)
    return { ...answer, stop }
  }

  /** Shows a page that is up to date, at its address. */
  async function arrive(url: URL, page: Page) {
    if (isHere(url)) {
      await show(page)
      if (url.hash) location.hash = url.hash
    } else if ('navigation' in window) {
      const { committed, finished } = navigation.navigate(url.href, { info: new Prepared(page) })
      // It ends early when the visitor goes elsewhere meanwhile.
      await Promise.allSettled([committed, finished])
    } else return location.assign(url.href)
    isStale = false
  }

  function leave(url: URL) {
    app.leaving = url.href
    if (isHere(url)) location.reload()
    else location.assign(url.href)
  }

  const send = createSender(app, begin, {
    isOurs,
    isHere,
    departures: () => departures,
    expire() {
      isStale = true
      prefetcher.drop()
    },
    arrive: (url, tree) => arrive(url, wholePage(tree)),
    async follow(url, counts) {
      let to = url
      // Without the Navigation API only the page that stands can be shown anew.
      const canShow = () => isOurs(to) && ('navigation' in window || isHere(to))
      for (let count = 0; count < MAX_REDIRECTS && canShow(); count++) {
        const page = await fetchAnew(to)
        if (!counts()) return page.stop()
        if (page.kind === 'page') return arrive(to, page)
        if (page.kind !== 'redirect') break
        to = new URL(page.to, to)
      }
      leave(to)
    },
    async refresh() {
      const before = departures
      const { tree } = app
      const { data, layouts, leaf } = tree
      // What has failed stays to be seen.
      if (leaf.kind !== 'page') return
      const { pathname, search } = tree.address.url
      const page = await fetchAnew(Object.assign(new URL(location.href), { pathname, search }))
      if (page.kind !== 'page' || page.status >= 400 || app.tree !== tree || departures !== before) return page.stop()
      const own = data.slice(layouts.length + 1)
      await put({ ...page, tree: { ...page.tree, data: [...page.tree.data, ...own] } })
      isStale = false
    },
  })

  if ('navigation' in window)
    takeForms(isOurs, (...form) => {
      formsSent++
      void send(...form)
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
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }
}

function isHere({ origin, pathname, search }: URL): boolean {
  return origin + pathname + search === location.origin + location.pathname + location.search
}
