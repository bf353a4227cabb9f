// Keeps a live page up to date: hears from the server when something was published, and runs the loads of the page again.
// Loaded for the first live page. It gets what it needs as arguments: the build would put a module that it shares with
// `navigator.ts` into a script of its own.

import type { LiveState } from '../shared/tree/browser-state.ts'
import type { PageEvents } from './fetch-page.ts'
import type { NavigatorState } from './navigation/navigator-context.ts'
import type { Page, PageView } from './navigation/page-view.ts'
import type { Refresh } from './result-view.ts'

interface LiveInput {
  /** Tells components whether the page hears of changes. */
  setState(state: LiveState): void
  state: Pick<NavigatorState, 'told'>
  view: PageView
  refresh: Refresh
  /** Asks for the stream of a page, named by its path and query: see `fetchEvents`. */
  listen(page: string, position: string, signal: AbortSignal): Promise<PageEvents>
  /** Whether the visitor navigates, fields are being sent, or loads run again already. */
  isBusy(): boolean
  /** Whether a position comes before another one of the same epoch. */
  isBefore(position: string, other: string): boolean
  /** Whether there is text that a new document would lose. */
  isTyping(): boolean
  /** Loads the document again. */
  reload(): void
  /** Tells that another tab may have signed in or out. */
  visitors: BroadcastChannel
}

const RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000
/** A page without a stream for longer says so. */
const SOON_MS = 5_000
const MAX_REFRESH_RETRY_MS = 300_000
/** The server sends a line at least every 25 seconds. A connection that is silent for longer is lost, without a sign of it. */
const SILENCE_MS = 60_000
const BUSY_CHECK_MS = 50
const SAFE_CHECK_MS = 2_000
/** The browser may wait that long for the next document. A download leaves this one, too, and a visitor may stay. */
const LEAVING_MS = 300_000
const NO_CONTENT = 204

/** Returns a random part of a time that doubles with each failure, so that many pages do not come back together. */
const pause = (ms: number, failures: number, max: number) =>
  Math.min(max, ms * 2 ** failures) * (0.5 + Math.random() / 2)

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const isPlaying = () => [...document.querySelectorAll<HTMLMediaElement>('video,audio')].some(({ paused }) => !paused)

const keyOf = ({ tree: { address } }: Page) => address.url.pathname + address.url.search

interface Connection {
  signal: AbortSignal
  /** To be called for each sign of life. */
  alive(): void
}

/** Calls `use` with a connection, which is aborted when it is silent for too long. */
async function connect<Result>(outer: AbortSignal, use: (connection: Connection) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort()
  let timer: number | undefined
  function alive() {
    clearTimeout(timer)
    timer = setTimeout(abort, SILENCE_MS)
  }
  outer.addEventListener('abort', abort, { signal })
  alive()
  try {
    return await use({ signal, alive })
  } finally {
    clearTimeout(timer)
    abort()
  }
}

/**
 * A page contains everything of its topics up to its position, `Page.live`. One without a known position (`''`) has to refresh
 * in any case.
 */
export function createLive(input: LiveInput) {
  const { setState, state, view, refresh, listen, isBusy, isBefore, isTyping, reload, visitors } = input
  /** The path and the query of the page that the stream belongs to; null without a stream. */
  let followed: string | null = null
  let controller = new AbortController()
  let retryMs = RETRY_MS
  let streamFailures = 0
  let isRefreshing = false
  let mustLoad = false
  let leftAt = Number.NEGATIVE_INFINITY
  const resting = new Set<() => void>()

  const isLeaving = () => performance.now() - leftAt < LEAVING_MS

  /** Whether the page lacks what was published up to a position. What was sent in the meantime may have brought it. */
  function isBehind(position = state.told): boolean {
    const { live } = view.coming()
    return live === '' || (live !== undefined && isBefore(live, position))
  }

  /** Waits until `wake` is called, or the time has passed. */
  async function rest(ms: number) {
    let end = () => {}
    await new Promise<void>((resolve) => {
      end = resolve
      resting.add(end)
      setTimeout(end, ms)
    })
    resting.delete(end)
  }

  function wake() {
    for (const end of resting) end()
  }

  /** Opens the stream of the page on the screen, while the tab is visible, and closes that of another page. */
  function look() {
    const page = view.onScreen()
    const next = document.hidden || page.live === undefined ? null : keyOf(page)
    if (next === followed) return
    controller.abort()
    followed = next
    state.told = ''
    setState('off')
    if (next === null) return
    streamFailures = 0
    controller = new AbortController()
    void follow(next, controller.signal)
  }

  async function follow(page: string, signal: AbortSignal) {
    while (!signal.aborted) {
      const end = await connect(signal, (connection) => read(page, connection)).catch(() => 'lost')
      if (signal.aborted) return
      if (end === 'off') return setState('off')
      const ms = pause(retryMs, streamFailures++, MAX_RETRY_MS)
      // A stream has an end, and the next one follows soon.
      if (end === 'lost' || ms > SOON_MS) setState('lost')
      await rest(ms)
    }
  }

  /** Reads a stream to its end. Resolves with `off` if the page is not live any more. Rejects when the connection is lost. */
  async function read(page: string, { signal, alive }: Connection): Promise<LiveState | 'ended'> {
    const events = await listen(page, view.onScreen().live ?? '', signal)
    if (events.status === NO_CONTENT) return 'off'
    mustLoad = events.isOtherBuild
    // The page leads elsewhere now, for example because the session has ended. A server that is busy says nothing of it.
    if (!events.read && events.status < 500) outdate()
    if (!events.read) return 'lost'
    setState('connected')
    let id = ''
    let asks = false
    await events.read((line) => {
      alive()
      const [, name, value = ''] = /^(\w+): ?(.*)/.exec(line) ?? []
      streamFailures = 0
      if (name === 'retry') retryMs = Number(value)
      if (name === 'id') id = value
      if (name === 'data') asks = true
      if (line !== '') return
      if (id !== '' && keyOf(view.coming()) === page) hear(id, asks)
      id = ''
      asks = false
    })
    return 'ended'
  }

  /** Takes a position that the stream has told of the page. */
  function hear(position: string, asks: boolean) {
    const page = view.coming()
    const { live } = page
    if (live === undefined) return
    if (asks) {
      state.told = position
      // Positions of two epochs cannot be compared.
      if (live.split('.')[0] !== position.split('.')[0]) page.live = ''
    }
    if (isBehind()) {
      wake()
      void catchUp()
    } else if (!isBefore(position, live)) page.live = position
  }

  /** Makes the page refresh in any case. */
  function outdate() {
    const page = view.coming()
    if (page.live !== undefined) page.live = ''
    void catchUp()
  }

  /** Refreshes the page as long as it lacks something. */
  async function catchUp() {
    if (isRefreshing) return
    isRefreshing = true
    for (let failures = 0; isBehind() && !document.hidden; ) {
      const before = state.told
      // Navigations and submissions go first.
      if (isBusy()) await wait(BUSY_CHECK_MS)
      else if (mustLoad) await loadDocument()
      else if ((await tryRefresh(failures === 0)) && !isBehind(before)) failures = 0
      else if (!mustLoad) {
        const ms = pause(RETRY_MS, failures++, MAX_REFRESH_RETRY_MS)
        await Promise.all([rest(ms), wait(pause(RETRY_MS, 0, RETRY_MS))])
      }
    }
    isRefreshing = false
  }

  /** Returns false if the page stays as it is. The server has logged why. */
  async function tryRefresh(isFirst: boolean): Promise<boolean> {
    try {
      const { shown } = await refresh()
      await shown
      return true
    } catch (error) {
      mustLoad = (error as Error).cause === 'load'
      // The browser cancels requests of a document that it leaves.
      if (!mustLoad && isFirst && !isLeaving()) console.error(error)
      return false
    }
  }

  /** Loads the document of another build when the visitor loses nothing by it, as a form that the browser sends. */
  async function loadDocument() {
    if (!isTyping() && !isPlaying() && !isLeaving()) reload()
    await wait(SAFE_CHECK_MS)
  }

  addEventListener('beforeunload', () => {
    leftAt = performance.now()
  })
  addEventListener('online', wake)
  document.addEventListener('visibilitychange', () => {
    look()
    wake()
    void catchUp()
  })
  visitors.onmessage = () => {
    followed = null
    look()
    outdate()
  }
  return look
}
