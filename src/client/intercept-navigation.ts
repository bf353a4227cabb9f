// Passes navigations within the site to the navigator, which is loaded when the visitor points at a link or a form. The
// server is the only router: the browser itself loads whatever is not a page of this site. A POST of a form is not a
// navigation here: see `intercept-forms.ts`.

import { base } from '../shared/base.ts'
import type { App } from './app.tsx'
import type { PendingNavigation } from './navigation/page-navigation.ts'
import type { Navigator } from './navigator.ts'

/** The reasons of navigations that ended before their page was shown. */
export const ended = new Set<unknown>()

export const importNavigator = () => import('./navigator.ts')

/** Listens for navigations. Returns the function that loads the navigator. */
export function startNavigation(app: App): () => Promise<Navigator> {
  let loaded: Promise<Navigator> | null = null

  function load(): Promise<Navigator> {
    loaded ??= importNavigator().then(
      ({ createNavigator }) => createNavigator(app, isOurs),
      (error) => {
        loaded = null
        throw error
      },
    )
    return loaded
  }

  function onPoint({ type, target }: { type: string; target?: EventTarget | null }) {
    // The target may be the document, which has no `closest`, or missing.
    const element = (target as Element | undefined)?.closest?.('a,form')
    // If the navigator cannot be loaded now, it is loaded when the visitor navigates.
    if (element || loaded || app.boot.live || document.querySelector('form,[data-hydrant-prefetch=visible],font'))
      load()
        .then((navigator) => navigator.point(type, element))
        .catch(() => {})
  }

  function onNavigate(event: NavigateEvent) {
    const { destination, signal } = event
    signal.addEventListener('abort', () => ended.add(signal.reason))
    const url = new URL(destination.url)
    const isTraverse = event.navigationType === 'traverse'
    if (!event.canIntercept || event.downloadRequest !== null || event.navigationType === 'reload' || !isOurs(url))
      return
    // The target is within the current page, also after `history.pushState()`, and back from there.
    const isSame = destination.sameDocument && (!isTraverse || url.href === app.tree.address.url.href)
    if (event.hashChange || isSame) return
    // React starts navigations of its own to show a transition as loading.
    if (url.href === app.leaving || event.info === 'react-transition') return
    // The source may be another element. Then `form` and `formMethod` are undefined.
    const submitter = event.sourceElement as HTMLButtonElement | null
    const source = (submitter?.form ?? submitter) as HTMLFormElement | null
    // Firefox announces a download twice, the second time as a navigation.
    if (source?.closest('[data-hydrant-reload],[download]')) return
    // Chromium uses the method of the form instead of the method of the submitting button.
    const method = submitter?.formMethod
    if (method === 'post' || (event.formData && method !== 'get')) return
    // After a search within the page, the focus stays. Of all sources, only a form has a method.
    if (source?.method && url.pathname === location.pathname) event.intercept({ focusReset: 'manual' })
    go(event, url)
  }

  function go(event: NavigateEvent, url: URL) {
    // The URL changes when the page has been fetched, as in an ordinary navigation, if the browser can wait for that.
    const canWait = event.cancelable && 'NavigationPrecommitController' in self
    const from = { url: location.href, canWait }
    let pending: Promise<PendingNavigation> | undefined
    const start = () => {
      pending ??= load().then(
        (navigator) => navigator.go(url, event, from),
        () => {
          location.href = app.leaving = url.href
          return new Promise(() => {})
        },
      )
      return pending
    }
    event.intercept({
      ...(canWait && { precommitHandler: () => start().then(({ ready }) => ready) }),
      handler: () => start().then(({ show }) => show()),
    })
  }

  for (const type of ['load', 'mouseover', 'focusin', 'touchstart']) addEventListener(type, onPoint)
  // Some browsers do not have it.
  void (self as Partial<Window>).navigation?.addEventListener('navigate', onNavigate)
  // `hydrate` has imported the navigator already if there is a form. If it could not, the browser sends forms itself.
  onPoint({ type: 'load' })
  return load
}

function isOurs({ origin, pathname }: URL): boolean {
  // A path with an extension is a file.
  return origin === location.origin && `${pathname}/`.startsWith(`${base}/`) && !/\.\w+$/.test(pathname)
}
