import type { Acted } from '../shared/wire/navigation-protocol.ts'
import type { App } from './app-state.ts'
import { withResult } from './extras.ts'
import { fetchPage } from './fetch-page.ts'
import type { NavigatorState } from './navigation/navigator-context.ts'
import { FetchedPage, MAX_REDIRECTS } from './navigation/page-navigation.ts'
import type { Page, PageView } from './navigation/page-view.ts'
import type { FetchResult } from './read-page.ts'

export type ResultView = ReturnType<typeof createResultView>

/** Creates the functions that show the results of actions. */
export function createResultView(app: App, state: NavigatorState, view: PageView, isOurs: (url: URL) => boolean) {
  /** Returns whether the document shows the page of this URL. */
  function isCurrent({ origin, pathname, search }: URL): boolean {
    if (state.urlOnScreen !== null) return false
    return origin + pathname + search === location.origin + location.pathname + location.search
  }

  /** Fetches a page with the data of all its layouts. */
  async function fetchFresh(url: URL, isRefresh = false) {
    const controller = new AbortController()
    const { version } = state
    const result = await fetchPage(url, app, { signal: controller.signal, isStale: true, version, isRefresh }).catch(
      (): FetchResult => ({ kind: 'load' }),
    )
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
    if (isCurrent(url)) location.reload()
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
