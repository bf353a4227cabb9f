// Hands the browser's navigations within the site to the navigator, which is loaded when somebody is about to go
// somewhere. The server stays the only router: whatever is no page of this site is left to the browser. Forms that are
// posted are no navigations: the navigator takes them over when they are sent, in `intercept-forms.ts`.

import { base } from '../shared/base.ts'
import type { Submit } from '../shared/tree/navigation-state.ts'
import type { App } from './app-state.ts'
import type { Journey, Navigator } from './navigator.ts'

/** What navigations have ended with before their page stood. */
export const ended = new Set<unknown>()

export const importNavigator = () => import('./navigator.ts')

export function startNavigation(app: App): Submit {
  let loaded: Promise<Navigator> | undefined

  function load(): Promise<Navigator> {
    loaded ??= importNavigator().then(({ createNavigator }) => createNavigator(app, isOurs))
    return loaded
  }

  function onPoint({ type, target }: Event) {
    // The document has no ancestors to ask.
    const element = (target as Element).closest?.('a,form')
    // What cannot be loaded now is asked for when it is needed.
    if (element || loaded)
      load()
        .then((navigator) => navigator.point(type, element))
        .catch(() => {})
  }

  function onNavigate(event: NavigateEvent) {
    const { destination, formData, info, navigationType, signal, sourceElement } = event
    signal.addEventListener('abort', () => ended.add(signal.reason))
    const url = new URL(destination.url)
    const isTraverse = navigationType === 'traverse'
    if (!event.canIntercept || event.downloadRequest !== null || navigationType === 'reload' || !isOurs(url)) return
    // Within the page that stands, also by `history.pushState()`.
    if (event.hashChange || (destination.sameDocument && !isTraverse)) return
    // React's own tells the browser that a transition is going on.
    if (url.href === app.leaving || info === 'react-transition') return
    // Other elements have neither of what is asked of a button.
    const submitter = sourceElement as HTMLButtonElement | null
    if ((submitter?.form ?? submitter)?.closest('[data-hydrant-reload]')) return
    // Chromium asks the form for its method, and not the button that sends it.
    const method = submitter?.formMethod
    if (method !== 'post' && (!formData || method === 'get')) go(event, url, isTraverse)
  }

  function go(event: NavigateEvent, url: URL, isTraverse: boolean) {
    // As in an ordinary navigation the address changes when the page is there, where the browser can wait for that.
    const canWait = !isTraverse && event.cancelable && 'NavigationPrecommitController' in window
    const from = canWait ? null : location.href
    let journey: Promise<Journey> | undefined
    const start = () => {
      journey ??= load().then(
        (navigator) => navigator.go(url, event, from),
        () => {
          location.href = app.leaving = url.href
          return new Promise(() => {})
        },
      )
      return journey
    }
    event.intercept({
      ...(canWait && { precommitHandler: () => start().then(({ ready }) => ready) }),
      handler: () => start().then(({ show }) => show()),
    })
  }

  if ('navigation' in window) {
    for (const type of ['mouseover', 'focusin', 'touchstart']) addEventListener(type, onPoint)
    navigation.addEventListener('navigate', onNavigate)
    // What is loaded for it has come with the page's own scripts. Without that the browser sends forms as ever.
    if (document.forms[0]) load().catch(() => {})
  }
  return (...what) => load().then(({ send }) => send(...what))
}

function isOurs({ origin, pathname }: URL): boolean {
  // What looks like a file is one.
  return origin === location.origin && `${pathname}/`.startsWith(`${base}/`) && !/\.\w+$/.test(pathname)
}
