// Shows other pages in the current document, without loading another one. Loaded when a visitor is about to leave a
// page.

import type { BrowserFunctions } from '../shared/tree/browser.ts'
import { liveStore, navigationStore } from '../shared/tree/browser-state.ts'
import { isBefore } from '../shared/wire/navigation-protocol.ts'
import type { App } from './app.tsx'
import { sendEarly } from './early-events.ts'
import { fetchEvents, fetchPage } from './fetch-page.ts'
import { hasTyped, watchForms } from './field-defaults.ts'
import { submissionKey } from './forms/call-action.ts'
import { createFormReader, takeForms } from './forms/intercept-forms.ts'
import { createFieldSender } from './forms/submit-fields.ts'
import { createFormSubmitter, type SubmissionContext } from './forms/submit-form.ts'
import { watchFields } from './kept-fields.ts'
import { keepsTyped, restoreTyped, VISITOR_CHANNEL, watchVisitor } from './kept-text.ts'
import { createActivity, type NavigatorState } from './navigation/navigator-context.ts'
import { createNavigate } from './navigation/page-navigation.ts'
import { createPageView } from './navigation/page-view.ts'
import { createLinks, createPrefetcher } from './prefetch.ts'
import { showProgress } from './progress.ts'
import { createRefresh, createResultView, reloadDocument } from './result-view.ts'

// Here, because a document with a form loads this script before hydration, and creates the navigator after it.
watchFields()
watchForms()

export type Navigator = ReturnType<typeof createNavigator>

/** Creates the functions that navigate, send fields to actions, and prefetch. */
export function createNavigator(app: App, isOurs: (url: URL) => boolean) {
  const state: NavigatorState = {
    urlOnScreen: null,
    keyOnScreen: null,
    version: 0,
    departures: 0,
    formsSent: 0,
    pendingForms: 0,
    refreshes: 0,
    redirects: 0,
    told: '',
  }
  const urlOnScreen = () => state.urlOnScreen ?? location.href
  const releases = new Set<() => void>()
  const begin = createActivity()
  showProgress()
  const guardTexts = createTextGuard()
  let live: Promise<() => void> | undefined
  function release() {
    for (const one of releases) one()
  }
  const view = createPageView(app, guardTexts, release, keepLive)
  const isBehind = () => view.coming().version < state.version
  const prefetcher = createPrefetcher(
    app,
    // After a redirect, the data of the layouts may be out of date as well, for example because a session has ended.
    (url, init) => fetchPage(url, app, { ...init, isStale: isBehind() || state.redirects > 0, version: state.version }),
    () => links.nextSeen(),
  )
  const canPrefetch = (url: URL) =>
    'navigation' in window && isOurs(url) && url.pathname + url.search !== location.pathname + location.search
  const links = createLinks(prefetcher, canPrefetch)
  const results = createResultView(app, state, view, isOurs)
  const refresh = createRefresh(app, state, view, results)

  /** Loads the script of live pages for the first one. */
  function keepLive() {
    if (view.onScreen().live === undefined && !live) return liveStore.set('off')
    live ??= import('./live.ts').then(({ createLive }) =>
      createLive({
        setState: liveStore.set,
        state,
        view,
        refresh,
        listen: (page, position, signal) => fetchEvents(new URL(page, location.href), app, position, signal),
        isBusy: () =>
          state.pendingForms + state.refreshes + releases.size > 0 || navigationStore.get().state !== 'idle',
        isBefore,
        isTyping: hasTyped,
        reload: reloadDocument,
        visitors: new BroadcastChannel(VISITOR_CHANNEL),
      }),
    )
    live.then(
      (look) => look(),
      () => {
        live = undefined
        liveStore.set('lost')
        setTimeout(keepLive, LIVE_RETRY_MS)
      },
    )
  }

  function expire() {
    state.version++
    prefetcher.drop()
  }

  function catchUp() {
    // An error stays visible.
    if (state.pendingForms === 0 && isBehind() && app.tree.leaf.kind === 'page') refresh().catch(() => {})
  }

  const context = { app, state, begin, view: results, expire }
  watchVisitor(app.boot.visitor)
  keepTypedOnRetry(context)
  const navigate = createNavigate(context, view, take)
  const send = createFormSubmitter(context, catchUp)
  const readForm = createFormReader(isOurs, urlOnScreen)
  // Without the Navigation API the browser sends forms itself.
  if ('navigation' in window) {
    navigation.addEventListener('navigate', onFragment)
    // The visitor is back before the other page has arrived.
    navigation.addEventListener('currententrychange', () => {
      if (location.href === state.urlOnScreen) state.urlOnScreen = state.keyOnScreen = null
    })
    takeForms(readForm, (form) => {
      state.formsSent++
      void send(form)
    })
  }

  function take(url: URL) {
    // The prefetched page has the layouts of the current one.
    if (state.redirects > 0) prefetcher.drop()
    return links.take(url)
  }

  function go(...parameters: Parameters<typeof navigate>): ReturnType<typeof navigate> {
    const pending = navigate(...parameters)
    return { ...pending, show: () => pending.show().then(catchUp) }
  }

  /** A link within the page cancels the navigation to a page whose URL the browser has already: it is begun again. */
  function onFragment(event: NavigateEvent) {
    if (!event.hashChange || !event.canIntercept || state.urlOnScreen === null) return
    const pending = go(new URL(event.destination.url), event, { url: state.urlOnScreen, canWait: false })
    event.intercept({ handler: () => pending.show() })
  }

  const functions: BrowserFunctions = {
    readForm(event, href) {
      // React passes the event of the browser.
      const read = readForm(event as SubmitEvent)
      // A button may send the form elsewhere.
      const here = urlOnScreen()
      if (read?.url.href.replace(/#.*/, '') !== new URL(href ?? here, here).href.replace(/#.*/, '')) return null
      return read && { ...read, href: read.url.href, key: submissionKey(read.url, read.formData) }
    },
    submit: createFieldSender(context, refresh, releases),
    async prefetch(to) {
      const url = readUrl(to)
      if (url && canPrefetch(url)) await prefetcher.ask(url)
    },
    async refresh() {
      const { shown } = await refresh()
      await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, COMMIT_MS))])
    },
  }
  sendEarly()
  keepLive()
  return {
    ...functions,
    point(...parameters: Parameters<typeof links.point>) {
      void guardTexts()
      links.point(...parameters)
    },
    go,
  }
}

/**
 * Makes the "Try again" of error pages and fallbacks load the page in place while the text of its form is kept: a new
 * document would lose it. The browser loads the document for all other errors, as it may fix errors of this document.
 */
function keepTypedOnRetry({ app, state, begin, view }: SubmissionContext) {
  async function retry() {
    const url = new URL(location.href)
    const before = state.departures
    const end = begin({ state: 'loading', url })
    await view.follow(url, () => before === state.departures)
    restoreTyped()
    end()
  }

  app.platform.reload = () => {
    if (keepsTyped()) void retry()
    else location.reload()
  }
  addEventListener('submit', (event) => {
    if (!keepsTyped() || !(event.target as Element).closest('.hydrant-failure')) return
    event.preventDefault()
    void retry()
  })
}

/** The pause before the script of live pages is asked for again, if it could not be loaded. */
const LIVE_RETRY_MS = 5_000

/** A transition of the site that waits for `refresh` keeps React from committing. */
const COMMIT_MS = 100

/** Returns null for a URL that is malformed. */
function readUrl(to: string | URL): URL | null {
  try {
    return new URL(to, location.href)
  } catch {
    return null
  }
}

// Notices that a translation has changed the page.

const MARK = /\btranslated-/

/**
 * Returns the function that loads the code for a page that a translation has changed, if it has. Google Translate marks
 * the document, and other translations are noticed when the function is called.
 */
export function createTextGuard(): () => Promise<void> {
  const { documentElement } = document
  const fonts = document.getElementsByTagName('font')

  async function guard() {
    if (fonts.length === 0 && !MARK.test(documentElement.className)) return
    // Without the code, the page is rendered again when React throws.
    await import('./repair.ts').then(({ guardTexts }) => guardTexts()).catch(() => {})
  }

  new MutationObserver(guard).observe(documentElement, { attributeFilter: ['class'] })
  void guard()
  return guard
}
