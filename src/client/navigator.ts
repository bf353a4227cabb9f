// Shows other pages in the current document, without loading another one. Loaded when a visitor is about to leave a
// page.

import type { BrowserFunctions } from '../shared/tree/browser.ts'
import type { App } from './app-state.ts'
import { fetchPage } from './fetch-page.ts'
import { takeForms } from './intercept-forms.ts'
import { createActivity } from './navigation-activity.ts'
import { createNavigate, type NavigatorState } from './page-navigation.ts'
import { createPageView } from './page-view.ts'
import { createLinks } from './prefetch/links.ts'
import { createPrefetcher } from './prefetch/prefetcher.ts'
import { createProgress } from './progress.ts'
import { createResultView } from './result-view.ts'
import { createSender } from './submit-form.ts'

export type Navigator = ReturnType<typeof createNavigator>

/** Creates the functions that navigate, send fields to actions, and prefetch. */
export function createNavigator(app: App, isOurs: (url: URL) => boolean) {
  const state: NavigatorState = { isStale: false, departures: 0, formsSent: 0, redirects: 0 }
  const prefetcher = createPrefetcher(
    app,
    (url, init) => fetchPage(url, init, app, state.isStale),
    () => links.nextSeen(),
  )
  const canPrefetch = (url: URL) =>
    'navigation' in window && isOurs(url) && url.pathname + url.search !== location.pathname + location.search
  const links = createLinks(prefetcher, canPrefetch)
  const begin = createActivity(app.navigation)
  createProgress(app.navigation)
  const view = createPageView(app)
  const expire = () => {
    state.isStale = true
    prefetcher.drop()
  }
  const send = createSender(app, state, createResultView(app, state, view, isOurs), expire, begin)
  // Without the Navigation API the browser sends forms itself.
  if ('navigation' in window)
    takeForms(isOurs, (...form) => {
      state.formsSent++
      void send(...form)
    })
  const functions: BrowserFunctions = {
    send,
    async prefetch(to) {
      const url = readUrl(to)
      if (url && canPrefetch(url)) await prefetcher.ask(url)
    },
  }
  return { ...functions, go: createNavigate(app, state, view, links.take, begin), point: links.point }
}

/** Returns null for a URL that is malformed. */
function readUrl(to: string | URL): URL | null {
  try {
    return new URL(to, location.href)
  } catch {
    return null
  }
}
