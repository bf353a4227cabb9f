import type { Tree } from '../shared/tree/app-tree.tsx'
import type { App } from './app-state.ts'
import { fetchPage } from './fetch-page.ts'
import { FetchedPage, MAX_REDIRECTS, type NavigatorState } from './page-navigation.ts'
import { completePage, type Page, type PageView } from './page-view.ts'

export type ResultView = ReturnType<typeof createResultView>

/** Creates the functions that show the results of actions. */
export function createResultView(app: App, state: NavigatorState, view: PageView, isOurs: (url: URL) => boolean) {
  /** Fetches a page with the data of all its layouts. */
  async function fetchFresh(url: URL) {
    const controller = new AbortController()
    const stop = () => controller.abort()
    const result = await fetchPage(url, { signal: controller.signal }, app, true).catch(
      () => ({ kind: 'load' }) as const,
    )
    return { ...result, stop }
  }

  /** Shows a page that is up to date, at its URL. */
  async function show(url: URL, page: Page) {
    if (isCurrent(url)) {
      state.redirects = 0
      await view.show(page)
      if (url.hash) location.hash = url.hash
    } else if ('navigation' in window) {
      const { committed, finished } = navigation.navigate(url.href, { info: new FetchedPage(page) })
      // The navigation is cancelled when the visitor goes elsewhere meanwhile.
      await Promise.allSettled([committed, finished])
    } else return location.assign(url.href)
    state.isStale = false
  }

  function loadDocument(url: URL) {
    app.leaving = url.href
    if (isCurrent(url)) location.reload()
    else location.assign(url.href)
  }

  return {
    isOurs,
    isCurrent,
    announce: view.announce,
    /** Shows the page with which an action responded, at its URL. All its loads have run after the action. */
    show: (url: URL, tree: Tree) => show(url, completePage(tree)),
    /** Shows the page to which an action leads, if `counts` still returns true when the page has been fetched. */
    async follow(url: URL, counts: () => boolean) {
      let to = url
      // Without the Navigation API only the current page can be shown again.
      const canShow = () => isOurs(to) && ('navigation' in window || isCurrent(to))
      for (let count = 0; count < MAX_REDIRECTS && canShow(); count++) {
        const page = await fetchFresh(to)
        if (!counts()) return page.stop()
        if (page.kind === 'page') return show(to, page)
        if (page.kind !== 'redirect') break
        to = new URL(page.to, to)
      }
      loadDocument(to)
    },
    /** Runs the loads of the current page again. What its action returned stays. */
    async refresh() {
      const before = state.departures
      const { tree } = app
      const { data, layouts, leaf } = tree
      // An error stays visible.
      if (leaf.kind !== 'page') return
      const { pathname, search } = tree.address.url
      const page = await fetchFresh(Object.assign(new URL(location.href), { pathname, search }))
      if (page.kind !== 'page' || page.status >= 400 || app.tree !== tree || state.departures !== before)
        return page.stop()
      const level = layouts.length + 1
      // The action's results stay, and the output of the schemas is new.
      const extras = Object.assign({}, data[level], page.tree.data[level])
      await view.replace({ ...page, tree: { ...page.tree, data: [...page.tree.data.slice(0, level), extras] } })
      state.isStale = false
    },
  }
}

/** Returns whether the current page has this URL. */
function isCurrent({ origin, pathname, search }: URL): boolean {
  return origin + pathname + search === location.origin + location.pathname + location.search
}
