// Keeps a live page up to date: hears from the server when something was published, and runs the loads of the page again.
// Loaded for the first live page. It gets what it needs as arguments: the build would put a module that it shares with
// `navigator.ts` into a script of its own.

import type { LiveState } from '../shared/tree/browser-state.ts'
import type { PageEvents } from './fetch-page.ts'
import type { PageView } from './navigation/page-view.ts'
import type { Refresh } from './result-view.ts'

interface LiveInput {
  /** Tells components whether the page hears of changes. */
  setState(state: LiveState): void
  view: PageView
  refresh: Refresh
  /** Asks for the stream of a page, named by its path and query: see `fetchEvents`. */
  listen(page: string, position: string, signal: AbortSignal): Promise<PageEvents>
  /** Whether the visitor navigates, fields are being sent, or loads run again already. */
  isBusy(): boolean
  /** Whether there is text that a new document would lose. */
  isTyping(): boolean
  /** Loads the document again. */
  reload(): void
  /** Tells that another tab may have signed in or out. */
  visitors: BroadcastChannel
}

const RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000
const MAX_REFRESH_RETRY_MS = 300_000
const BUSY_CHECK_MS = 50
const SAFE_CHECK_MS = 2_000
/** The browser may wait that long for the next document. A download leaves this one, too. */
const LEAVING_MS = 300_000
const NO_CONTENT = 204

/** Returns a random part of a time that doubles with each failure, so that many pages do not come back together. */
const pause = (ms: number, failures: number, max: number) =>
  Math.min(max, ms * 2 ** failures) * (0.5 + Math.random() / 2)

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export function createLive({ setState, view, refresh, listen, isBusy, isTyping, reload, visitors }: LiveInput) {
  /** The path and the query of the page that the stream belongs to; null without a stream. */
  let followed: string | null = null
  let controller = new AbortController()
  /** The page on the screen, if it is live. */
  let shown: string | null = null
  /** The last position that the server has told of it. */
  let heard = ''
  let retryMs = RETRY_MS
  let streamFailures = 0
  let refreshFailures = 0
  /** Whether the page has to refresh: as long as it lacks what the server has told, or in any case. */
  let wanted: 'events' | 'anyway' | null = null
  /** The data that is out of date in any case. */
  let outdated: unknown
  let isRefreshing = false
  let isOtherBuild = false
  let leftAt = Number.NEGATIVE_INFINITY

  const isLeaving = () => performance.now() - leftAt < LEAVING_MS

  /** Opens the stream of the page on the screen, while the tab is visible, and closes that of another page. */
  function look() {
    const { live, tree } = view.onScreen()
    const { pathname, search } = tree.address.url
    const page = live === undefined ? null : pathname + search
    if (page !== shown) heard = live ?? ''
    shown = page
    const next = document.hidden ? null : page
    if (next === followed) return
    controller.abort()
    followed = next
    setState('off')
    if (next === null) return
    streamFailures = 0
    controller = new AbortController()
    void follow(next, controller.signal)
  }

  async function follow(page: string, signal: AbortSignal) {
    while (!signal.aborted) {
      const isOver = await read(page, signal).catch(() => false)
      if (signal.aborted) return
      setState(isOver ? 'off' : 'lost')
      if (isOver) return
      await waitOrOnline(pause(retryMs, streamFailures++, MAX_RETRY_MS))
    }
  }

  /** Reads a stream to its end. Resolves with true if the page is not live any more. Rejects without a connection. */
  async function read(page: string, signal: AbortSignal): Promise<boolean> {
    const events = await listen(page, later(heard, view.onScreen().live), signal)
    if (events.status === NO_CONTENT) return true
    isOtherBuild = events.isOtherBuild
    // The page leads elsewhere now, for example because the session has ended. A server that is busy says nothing of it.
    if (!events.read && events.status < 500) want('anyway')
    if (events.read) setState('connected')
    await events.read?.((line) => {
      const [, name, value = ''] = /^(\w+): ?(.*)/.exec(line) ?? []
      streamFailures = 0
      if (name === 'retry') retryMs = Number(value)
      if (name === 'id') heard = value
      if (name === 'data' && isBehind()) want('events')
    })
    return false
  }

  /** Whether the page lacks something that the server has told. What was sent in the meantime may have brought it. */
  const isBehind = () => isBefore(view.coming().live ?? heard, heard)

  function want(why: 'events' | 'anyway') {
    if (wanted !== 'anyway') wanted = why
    if (why === 'anyway') outdated = view.coming().newData
    if (!isRefreshing) void refreshAll()
  }

  async function refreshAll() {
    isRefreshing = true
    while (wanted && !document.hidden) {
      // Navigations and submissions go first.
      while (isBusy()) await wait(BUSY_CHECK_MS)
      if (isOtherBuild) await loadDocument()
      const { live, newData } = view.coming()
      const isNeeded = live !== undefined && (isBehind() || (wanted === 'anyway' && newData === outdated))
      wanted = null
      if (isNeeded) await refresh().then(onRefreshed, onFailed)
    }
    isRefreshing = false
  }

  function onRefreshed() {
    refreshFailures = 0
  }

  /** The page stays as it is. The server has logged why. */
  async function onFailed(error: unknown) {
    want('anyway')
    isOtherBuild = (error as Error).cause === 'load'
    if (isOtherBuild) return
    // The browser cancels requests of a document that it leaves.
    if (refreshFailures === 0 && !isLeaving()) console.error(error)
    await waitOrOnline(pause(RETRY_MS, refreshFailures++, MAX_REFRESH_RETRY_MS))
  }

  /** Loads the document of another build as soon as the visitor loses nothing by it, as a form that the browser sends. */
  async function loadDocument() {
    const isPlaying = () =>
      [...document.querySelectorAll<HTMLMediaElement>('video,audio')].some(({ paused }) => !paused)
    while (isTyping() || isPlaying() || isBusy() || isLeaving()) await wait(SAFE_CHECK_MS)
    reload()
    await new Promise(() => {})
  }

  addEventListener('beforeunload', () => {
    leftAt = performance.now()
  })
  document.addEventListener('visibilitychange', () => {
    look()
    if (wanted && !isRefreshing) void refreshAll()
  })
  visitors.onmessage = () => {
    followed = null
    look()
    want('anyway')
  }
  return look
}

function waitOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
  })
}

/** Whether a position comes before another one. Those of different epochs cannot be compared. */
function isBefore(position: string, other: string): boolean {
  const [epoch, number] = position.split('.')
  const [otherEpoch, otherNumber] = other.split('.')
  return epoch !== otherEpoch || Number(number) < Number(otherNumber)
}

/** Returns the later of two positions. */
function later(heard: string, page = heard): string {
  return isBefore(page, heard) ? heard : page
}
