import { decodeLoosely } from '../../shared/paths.ts'
import { arriveAtPage, leavePage, restoreTyped } from '../kept-text.ts'
import type { Prefetched } from '../prefetch.ts'
import type { NavigatorContext } from './navigator-context.ts'
import type { Page, PageTransition, PageView, TransitionType } from './page-view.ts'

export interface PendingNavigation {
  /** Resolves when the page has been fetched. Never settles if the visitor goes to another page. */
  ready: Promise<void>
  /** Shows the page in the document. */
  show(): Promise<void>
}

/** The page that the visitor leaves. */
export interface Departure {
  url: string
  /** Whether the browser changes the URL only when the next page has been fetched. */
  canWait: boolean
}

/** Leaves for a page that this document cannot show. Never settles. */
type Leave = () => Promise<never>

/** How many redirects in a row are followed. After that, the browser loads the document and reports the loop itself. */
export const MAX_REDIRECTS = 20

export function createNavigate(
  { app, state, begin }: NavigatorContext,
  view: PageView,
  take: (url: URL) => Prefetched,
) {
  /** The last redirect, with the type of the navigation that was redirected. */
  let redirect: { to: string; type: TransitionType } | undefined
  const lateScroll = createLateScroll()
  /** The last navigation. */
  let last: Last | undefined

  // Unlike the navigation to a document, this one ends when a script of the page changes the address: it is begun again.
  function onNavigate({ destination, hashChange, navigationType }: NavigateEvent) {
    const isWithinPage = destination.sameDocument && !hashChange && navigationType !== 'traverse'
    if (!isWithinPage || !last?.event.signal.aborted || last.fetched.isKept) return
    const { url, event, from, fetched, hasArrived } = last
    fetched.isKept = true
    if (!hasArrived) queueMicrotask(() => void resume(url, event, from, new KeptPage(fetched)))
  }

  // Some browsers do not have it.
  if ('navigation' in globalThis) navigation.addEventListener('navigate', onNavigate)

  async function resume(
    { href }: URL,
    { destination, navigationType }: NavigateEvent,
    from: Departure,
    info: KeptPage,
  ) {
    const history = from.canWait && navigationType === 'push' ? 'push' : 'replace'
    const { committed, finished } =
      from.canWait && navigationType === 'traverse'
        ? navigation.traverseTo(destination.key, { info })
        : navigation.navigate(href, { history, info, state: destination.getState() })
    await Promise.allSettled([committed, finished])
  }

  async function receive(url: URL, event: NavigateEvent, from: Departure, type: TransitionType): Promise<Page | Leave> {
    const { navigationType, signal, info } = event
    const isTraverse = navigationType === 'traverse'
    const sentBefore = state.formsSent
    const fetched = { ...(info instanceof KeptPage ? info.fetched : take(url)), isKept: false }
    const { result: pending, controller } = fetched
    const current: Last = { url, event, from, fetched, hasArrived: false }
    last = current
    const stop = () => controller.abort()
    // After the event of a script that changes the address.
    signal.addEventListener('abort', () =>
      queueMicrotask(() => {
        if (!fetched.isKept) stop()
        if (last === current) last = undefined
      }),
    )
    // If the network fails, or a module is missing, the browser loads the document and shows its own error page.
    const result = await pending.catch(() => ({ kind: 'load' }) as const)
    if (signal.aborted) return never()
    // As in any document, sending a form cancels a navigation, as long as the URL has not changed.
    if (from.canWait && sentBefore !== state.formsSent) {
      stop()
      throw new DOMException('A newer form was sent.', 'AbortError')
    }
    current.hasArrived = true
    if (result.kind === 'page') return { ...result, stop }
    const hasUrl = !from.canWait || isTraverse
    const leave = () => {
      if (result.kind === 'redirect' && state.redirects++ < MAX_REDIRECTS) {
        redirect = { to: new URL(result.to, location.href).href, type }
        return move(result.to, hasUrl || navigationType === 'replace')
      }
      return loadDocument(url, event, from, hasUrl)
    }
    // Back and Forward go to their entry of the history first, because the target replaces it.
    return isTraverse ? leave : leave()
  }

  /** @param hasUrl Whether the URL has changed already. */
  function loadDocument({ href }: URL, event: NavigateEvent, from: Departure, hasUrl: boolean): Promise<never> {
    state.redirects = 0
    // Loading the URL would be a reload: the browser would use the new document for the history entries of the earlier
    // pages too. Restoring the URL first prevents that.
    if (hasUrl) history.replaceState(null, '', from.url)
    app.leaving = href
    return move(href, hasUrl || event.navigationType === 'replace')
  }

  /** Resolves with false if the visitor has gone to another page before this one was in the document. */
  async function show(
    page: Page,
    event: NavigateEvent,
    from: Departure,
    transition?: PageTransition,
  ): Promise<boolean> {
    const key = navigation.currentEntry?.key ?? null
    const before = state.departures
    state.urlOnScreen ??= from.url
    lateScroll.leave(keyOnScreen())
    state.keyOnScreen ??= keyOnScreen()
    if (!(await view.show(page, transition))) return false
    const isElsewhere = before !== state.departures && event.destination.url !== location.href
    state.urlOnScreen = isElsewhere ? event.destination.url : null
    state.keyOnScreen = isElsewhere ? key : null
    asPartsArrive(page.rest, restoreTyped)
    lateScroll.arrive(event, page.rest)
    return true
  }

  /** Returns the key of the history entry of the page in the document. */
  const keyOnScreen = () => state.keyOnScreen ?? navigation.transition?.from.key ?? null

  return (url: URL, event: NavigateEvent, from: Departure): PendingNavigation => {
    const { hasUAVisualTransition, info, signal } = event
    if (info instanceof FetchedPage) {
      state.redirects = 0
      state.departures++
      const showFetched = async () => {
        leavePage(keyOnScreen(), true)
        await show(info.page, event, from)
      }
      return { ready: Promise.resolve(), show: showFetched }
    }
    if (!from.canWait) {
      state.urlOnScreen ??= from.url
      state.keyOnScreen ??= keyOnScreen()
    }
    state.departures++
    // The visitor went elsewhere while this script was loaded.
    if (signal.aborted) return { ready: never(), show: never }
    const end = begin({ state: 'loading', url })
    // After the next navigation has begun, so that the state does not become idle in between.
    signal.addEventListener('abort', () => setTimeout(end))
    const type = redirect?.to === url.href ? redirect.type : typeOf(event)
    redirect = undefined
    // This script may fail, for example because another one has replaced a function of the browser.
    function loadAfter(error: unknown, hasUrl: boolean): Promise<never> {
      if (signal.aborted || (error as Error | null)?.name === 'AbortError') throw error
      reportError(error)
      return loadDocument(url, event, from, hasUrl)
    }
    const received = receive(url, event, from, type).catch((error) => loadAfter(error, !from.canWait))
    async function showReceived() {
      const page = await received
      if (typeof page === 'function') return page()
      state.redirects = 0
      leavePage(keyOnScreen())
      const isThere = await show(page, event, from, { type, isAnimated: hasUAVisualTransition })
      if (isThere) asPartsArrive(page.rest, arriveAtPage(event))
      end()
    }
    return {
      ready: received.then(() => {}),
      show: () => showReceived().catch((error) => loadAfter(error, true)),
    }
  }
}

/** Marks a navigation to a page that has been fetched already. */
export class FetchedPage {
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }
}

/** Marks a navigation that has been begun again, with its request. */
class KeptPage {
  readonly fetched: Prefetched
  constructor(fetched: Prefetched) {
    this.fetched = fetched
  }
}

interface Last {
  url: URL
  event: NavigateEvent
  from: Departure
  /** `isKept`: the request goes on although the navigation has ended. */
  fetched: Prefetched & { isKept: boolean }
  hasArrived: boolean
}

function typeOf({ destination, navigationType }: NavigateEvent): TransitionType {
  if (navigationType === 'replace') return 'replace'
  // In a traversal, `navigation.currentEntry` is the destination already.
  const from = navigation.transition?.from.index ?? 0
  return navigationType === 'traverse' && destination.index < from ? 'back' : 'forward'
}

/** Each promise is a new one: what waits for one that is shared is never freed. */
const never = () => new Promise<never>(() => {})

function move(to: string, isReplaced: boolean): Promise<never> {
  if (isReplaced) location.replace(to)
  else location.assign(to)
  return never()
}

/** React may show the last part this much later than it arrives. */
const LAST_PART_MS = 1_000

/**
 * Calls a function until it returns true or the visitor goes elsewhere: now, when parts of the page appear, and a last
 * time with `isWhole`. Returns what stops it.
 *
 * @param rest Resolves with the other parts of the page; null if all are there.
 */
function asPartsArrive(rest: Promise<void> | null, attempt: (isWhole: boolean) => boolean): AbortController {
  const waiting = new AbortController()
  const { signal } = waiting
  const stop = () => waiting.abort()
  const tryOnce = (isWhole: boolean) => !signal.aborted && attempt(isWhole) && stop()
  tryOnce(rest === null)
  if (rest === null || signal.aborted) return waiting
  const observer = new MutationObserver(() => tryOnce(false))
  observer.observe(document.body, { childList: true, subtree: true })
  signal.addEventListener('abort', () => observer.disconnect())
  function onNavigate({ destination, hashChange, info, navigationType }: NavigateEvent) {
    const isWithinPage = hashChange || (destination.sameDocument && navigationType !== 'traverse')
    // React starts navigations of its own to show a transition as loading.
    if (!isWithinPage && info !== 'react-transition') stop()
  }
  navigation.addEventListener('navigate', onNavigate, { signal })
  void rest.then(() =>
    setTimeout(() => {
      tryOnce(true)
      stop()
    }, LAST_PART_MS),
  )
  return waiting
}

// Scrolls to a place that a page gets only with a part that arrives late. The browser itself scrolls once, when the
// first part of the page is shown.

/** The input of visitors after which a page no longer moves by itself. */
const INPUT = ['keydown', 'pointerdown', 'touchmove', 'wheel']

interface Place {
  isThere(): boolean
  scroll(): void
}

/** Creates the functions that remember where the visitor leaves a page, and scroll there when the visitor is back. */
function createLateScroll() {
  /** The vertical position of each entry of the history that the visitor has left, by its key. */
  const positions = new Map<string, number>()

  function placeOf({ destination, navigationType }: NavigateEvent): Place | null {
    if (navigationType !== 'traverse') return fragmentOf(new URL(destination.url))
    const top = history.scrollRestoration === 'manual' ? 0 : (positions.get(destination.key) ?? 0)
    return top === 0 ? null : positionAt(top)
  }

  return {
    /** To be called before another page is shown, with the key of the entry of the current one. */
    leave(key: string | null) {
      if (key) positions.set(key, scrollY)
    },
    /** To be called when a page is shown. `rest` resolves with its other parts; null if all are there. */
    arrive(event: NavigateEvent, rest: Promise<void> | null) {
      const place = placeOf(event)
      if (!place) return
      if (rest && !place.isThere()) return scrollLater(place, rest)
      const { url } = event.destination
      // Firefox does not find a fragment that is percent-encoded when it scrolls after a navigation in place.
      if (event.navigationType !== 'traverse') {
        const check = () =>
          location.href === url && place.isThere() && !document.querySelector(':target') && place.scroll()
        navigation.addEventListener('navigatesuccess', check, { once: true })
      }
    },
  }
}

/** Scrolls when the place is in the document, unless the visitor does something else before. */
function scrollLater(place: Place, rest: Promise<void>) {
  const waiting = asPartsArrive(rest, () => {
    if (!place.isThere()) return false
    place.scroll()
    return true
  })
  const { signal } = waiting
  for (const type of INPUT) addEventListener(type, () => waiting.abort(), { signal, capture: true, passive: true })
  navigation.addEventListener('navigate', ({ hashChange }) => hashChange && waiting.abort(), { signal })
}

function positionAt(top: number): Place {
  return {
    isThere: () => document.documentElement.scrollHeight - innerHeight >= top,
    scroll: () => scrollTo({ top, behavior: 'instant' }),
  }
}

function fragmentOf({ hash }: URL): Place | null {
  if (hash === '') return null
  const find = () => document.getElementById(hash.slice(1)) ?? document.getElementById(decodeLoosely(hash.slice(1)))
  // A navigation to the fragment also moves the place from which the Tab key continues, and sets `:target`.
  return { isThere: () => find() !== null, scroll: () => location.replace(location.href) }
}
