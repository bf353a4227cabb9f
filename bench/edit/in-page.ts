/// <reference lib="dom" />

// These functions run in the page, so they use nothing outside themselves.

/** The texts that an edit must show, by the value of `data-edit`. */
export type Marks = Readonly<Record<string, string>>

/** The beginning of the console line with the time, by the page's clock, at which all marks were painted. */
export const PAINTED = 'edit-painted '
/** The event that starts to watch for marks. */
export const WATCH = 'edit-watch'

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
  // The listener below has stored it.
  let marks = stored !== null ? (JSON.parse(stored) as Marks) : documents === 0 ? first : null
  const channel = new MessageChannel()
  channel.port1.onmessage = () => console.debug(painted + (performance.timeOrigin + performance.now()))

  function isShown([mark, text]: [string, string]): boolean {
    const elements = [...document.querySelectorAll(`[data-edit="${mark}"]`)]
    return elements.length > 0 && elements.every((element) => textOf(element) === text)
  }

  function textOf(element: Element): string {
    return element.textContent || getComputedStyle(element, '::after').content.replace(/^"|"$/g, '')
  }

  function look() {
    if (marks === null) return
    if (!Object.entries(marks).every(isShown)) {
      requestAnimationFrame(look)
      return
    }
    marks = null
    sessionStorage.removeItem('edit-watch')
    channel.port2.postMessage(null)
  }

  addEventListener(watch, (event) => {
    const wasWatching = marks !== null
    // The harness sends the marks as the event's detail.
    marks = (event as CustomEvent<Marks>).detail
    sessionStorage.setItem('edit-watch', JSON.stringify(marks))
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
