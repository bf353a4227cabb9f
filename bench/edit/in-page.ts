/// <reference lib="dom" />

// These functions run in the page, so they use nothing outside themselves.

/** The texts that an edit must show, by the value of `data-edit`. */
export type Marks = Readonly<Record<string, string>>

/** The beginning of the console line that a page writes when all marks are painted. */
export const PAINTED = 'edit-painted '
/** The event that starts to watch for marks. */
export const WATCH = 'edit-watch'

export interface Painted {
  /** The page's clock: milliseconds since 1970. */
  at: number
  /** The number of frames that showed more of the marks than any frame before. */
  updates: number
}

/** The texts that an edit may not change, and the position of the page. */
export interface PageState {
  kept: string
  /** The number of documents that this tab has loaded. */
  documents: number
}

interface Names {
  painted: string
  watch: string
  first: Marks
}

/**
 * Watches for marks in every document of a tab. Looks in each frame, before it is painted. A message that is posted
 * there arrives after the paint. The watch survives a reload in the tab's session storage.
 */
export function watchMarks({ painted, watch, first }: Names) {
  if (!location.protocol.startsWith('http')) return
  const stored = sessionStorage.getItem('edit-watch')
  const documents = Number(sessionStorage.getItem('edit-documents'))
  sessionStorage.setItem('edit-documents', String(documents + 1))
  let current = { marks: first, shown: 0, updates: 0 }
  let isWatching = documents === 0 || stored !== null
  // `save` has stored it.
  if (stored !== null) current = JSON.parse(stored) as typeof current
  const channel = new MessageChannel()
  channel.port1.onmessage = () => {
    const at = performance.timeOrigin + performance.now()
    console.debug(painted + JSON.stringify({ at, updates: current.updates }))
  }

  function save() {
    sessionStorage.setItem('edit-watch', JSON.stringify(current))
  }

  function isShown([mark, text]: [string, string]): boolean {
    const elements = [...document.querySelectorAll(`[data-edit="${mark}"]`)]
    return elements.length > 0 && elements.every((element) => textOf(element) === text)
  }

  function textOf(element: Element): string {
    return element.textContent || getComputedStyle(element, '::after').content.replace(/^"|"$/g, '')
  }

  function look() {
    if (!isWatching) return
    const marks = Object.entries(current.marks)
    const shown = marks.filter(isShown).length
    if (shown > current.shown) {
      current = { ...current, shown, updates: current.updates + 1 }
      save()
    }
    if (shown < marks.length) {
      requestAnimationFrame(look)
      return
    }
    isWatching = false
    sessionStorage.removeItem('edit-watch')
    channel.port2.postMessage(null)
  }

  addEventListener(watch, (event) => {
    const wasWatching = isWatching
    // The harness sends the marks as the event's detail.
    current = { marks: (event as CustomEvent<Marks>).detail, shown: 0, updates: 0 }
    isWatching = true
    save()
    if (!wasWatching) requestAnimationFrame(look)
  })
  requestAnimationFrame(look)
}

export function startWatch({ watch, marks }: { watch: string; marks: Marks }) {
  dispatchEvent(new CustomEvent(watch, { detail: marks }))
}

/** Clicks each counter until it has counted, so that the page is interactive, and scrolls. */
export async function changeState(patienceMs: number) {
  const end = performance.now() + patienceMs
  for (const counter of document.querySelectorAll<HTMLElement>('[data-counter]')) {
    const before = counter.textContent
    while (counter.textContent === before) {
      if (performance.now() > end) throw new Error('the page is not interactive')
      counter.click()
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  }
  scrollTo(0, 120)
}

export function readState(): PageState {
  const counters = [...document.querySelectorAll('[data-counter]')].map((counter) => counter.textContent)
  const input = document.querySelector<HTMLInputElement>('[data-input]')?.value
  const documents = Number(sessionStorage.getItem('edit-documents'))
  return { kept: JSON.stringify([counters, input, Math.round(scrollY)]), documents }
}

export function readClock(): number {
  return performance.timeOrigin + performance.now()
}
