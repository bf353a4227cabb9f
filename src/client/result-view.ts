import { splitAction } from '../shared/paths.ts'
import type { Acted } from '../shared/wire/navigation-protocol.ts'
import { ServerFailure } from '../shared/wire/promises.ts'
import type { App } from './app.tsx'
import { fetchPage } from './fetch-page.ts'
import type { NavigatorState } from './navigation/navigator-context.ts'
import { FetchedPage, MAX_REDIRECTS } from './navigation/page-navigation.ts'
import type { Page, PageView } from './navigation/page-view.ts'
import { extrasOf, type FetchResult, withResult } from './read-page.ts'

export type ResultView = ReturnType<typeof createResultView>

export function createResultView(app: App, state: NavigatorState, view: PageView, isOurs: (url: URL) => boolean) {
  /** Returns whether the document shows the page of this URL, with any action. */
  function isCurrent(url: URL): boolean {
    return state.urlOnScreen === null && pageOf(url) === pageOf(location)
  }

  /** Fetches a page with the data of all its layouts. */
  async function fetchFresh(url: URL, isRefresh = false) {
    const controller = new AbortController()
    const { version, told } = state
    const options = { signal: controller.signal, isStale: true, version, ...(isRefresh && { told }) }
    const result = await fetchPage(url, app, options).catch((): FetchResult => ({ kind: 'load', isLost: true }))
    return { ...result, stop: () => controller.abort() }
  }

  /** Shows a page that is up to date, at its URL. */
  async function show(url: URL, page: Page) {
    if (isCurrent(url)) {
      state.redirects = 0
      await view.show(page)
      if (url.hash) location.hash = url.hash
    } else if ('navigation' in window) {
      const { committed, finished } = navigation.navigate(url.href, { info: new FetchedPage(page) })
      // The navigation is canceled when the visitor goes to another page before it ends.
      await Promise.allSettled([committed, finished])
    } else return location.assign(url.href)
  }

  function loadDocument(url: URL) {
    app.leaving = url.href
    if (isCurrent(url)) reloadDocument()
    else location.assign(url.href)
  }

  return {
    isOurs,
    isCurrent,
    fetchFresh,
    show,
    replace: view.replace,
    announce: view.announce,
    /** Shows what an action returned, with the data that is on the screen. */
    async showActed(acted: Acted) {
      const onScreen = view.onScreen()
      await view.show({ ...onScreen, tree: withResult(onScreen.tree, acted) })
    },
    /**
     * Shows the page to which an action leads, if `counts` still returns true when the page has been fetched. Calls
     * `onPage` before that. Resolves with false if the browser loads its document instead.
     */
    async follow(url: URL, counts: () => boolean, onPage?: () => void): Promise<boolean> {
      let to = url
      // Without the Navigation API only the current page can be shown again.
      const canShow = () => isOurs(to) && ('navigation' in window || isCurrent(to))
      for (let count = 0; count < MAX_REDIRECTS && canShow(); count++) {
        const page = await fetchFresh(to)
        if (!counts()) {
          page.stop()
          return true
        }
        if (page.kind === 'page') {
          onPage?.()
          await show(to, page)
          return true
        }
        if (page.kind !== 'redirect') break
        to = new URL(page.to, to)
      }
      loadDocument(to)
      return false
    },
  }
}

/** Loads the document again. A mere reload would send the form again whose response the document is. */
export function reloadDocument() {
  history.replaceState(history.state, '', location.href)
  location.reload()
}

const pageOf = ({ origin, pathname, search }: URL | Location) => origin + pathname + splitAction(search).search

/** The cause of an error of `refresh`: only the document of the page can show the fresh data. */
export const MUST_LOAD = 'load'

export type Refresh = ReturnType<typeof createRefresh>

/** See `createRefresh`. */
interface Refreshed {
  shown: Promise<unknown>
}

/**
 * Returns the function that runs the loads of the current page and its layouts again. Only one request is pending at a
 * time: further calls wait for it, and then share one more request.
 *
 * The function resolves when React has been given the fresh data; then `shown` resolves when the data is in the
 * document. It rejects when the data cannot be fetched. Then the page stays as it is. `onData` is called in the task in
 * which React gets the data, or when there is none.
 */
export function createRefresh(app: App, state: NavigatorState, view: PageView, results: ResultView) {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Refreshed> | undefined
  let waiting: (() => void)[] = []

  async function run() {
    const called = waiting
    waiting = []
    next = undefined
    try {
      return await showCurrent()
    } finally {
      for (const onData of called) onData()
    }
  }

  async function showCurrent(): Promise<Refreshed> {
    const { tree } = app
    const { pathname, search } = tree.address.url
    const before = state.departures
    const url = Object.assign(new URL(location.href), { pathname, search })
    const result = await results.fetchFresh(url, true)
    const isElsewhere = app.tree.leaf.key !== tree.leaf.key || app.tree.address.url.search !== search
    const isNewer = result.kind === 'page' && view.coming().version > result.version
    // The fresh data is no longer needed.
    if (isElsewhere || isNewer) result.stop()
    else if (result.kind === 'redirect') {
      return { shown: results.follow(new URL(result.to, url), () => before === state.departures) }
    } else if (result.kind !== 'page') {
      const mustLoad = result.kind === 'load' && !result.isLost
      throw new Error('The data of this page could not be fetched again.', mustLoad ? { cause: MUST_LOAD } : {})
    } else {
      const { leaf } = result.tree
      if (leaf.kind === 'page')
        return { shown: view.replace({ ...result, tree: withResult(result.tree, extrasOf(app.tree)) }) }
      const digest =
        leaf.kind === 'shown' && leaf.shown.kind === 'failure' && 'digest' in leaf.shown && leaf.shown.digest
      // A refusal belongs to the page: for example, it has been deleted. After a failure the old data is better.
      if (digest) throw new ServerFailure(digest)
      return { shown: view.replace(result) }
    }
    return { shown: Promise.resolve() }
  }

  return (onData?: () => void) => {
    if (onData) waiting.push(onData)
    if (!next) {
      state.refreshes++
      next = running.then(run, run).finally(() => state.refreshes--)
    }
    running = next
    return next
  }
}
