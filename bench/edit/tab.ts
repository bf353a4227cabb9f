import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import {
  changeState,
  type Marks,
  PAINTED,
  type PageState,
  readClock,
  readState,
  startWatch,
  WATCH,
  watchMarks,
} from './in-page.ts'

/** How long an edit may take until it is painted. */
const PATIENCE_MS = 20_000
/** A page that reloads interrupts the harness. */
const MAX_INTERRUPTIONS = 20
const FRAME_MS = 1_000 / 60
const CLOCK_READINGS = 20

/** A tab of its own browser context. All times are by `performance.now()` of this process. */
export interface Tab {
  /** Navigates to a URL. Resolves with whether the marks were painted. */
  open(url: string, marks: Marks): Promise<boolean>
  /**
   * Calls `write`, and resolves with the time from just before the call until the marks are painted, in milliseconds.
   * Null if they are not painted within twenty seconds.
   */
  measure(marks: Marks, write: () => void): Promise<number | null>
  /** Clicks all counters, writes into the input and scrolls. Resolves when the page has reacted. */
  setState(note: string): Promise<void>
  readState(): Promise<PageState>
  close(): Promise<void>
}

export async function openTab(browser: Browser, first: Marks): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.addInitScript(watchMarks, { painted: PAINTED, watch: WATCH, first })
  const clockOffset = await readClockOffset(page)

  /** Returns a promise of the time by this process's clock, in an object because it need not be awaited at once. */
  function nextPaint(): { painted: Promise<number | null> } {
    const event = page.waitForEvent('console', { predicate: (message) => message.text().startsWith(PAINTED) })
    const timeOf = (text: string) => Number(text.slice(PAINTED.length)) - clockOffset
    return {
      painted: event.then(
        (message) => timeOf(message.text()),
        () => null,
      ),
    }
  }

  return {
    async open(url, marks) {
      const { painted } = nextPaint()
      await page.goto(url, { waitUntil: 'commit' })
      if (marks !== first) await uninterrupted(() => page.evaluate(startWatch, { watch: WATCH, marks }))
      return (await painted) !== null
    },
    async measure(marks, write) {
      await uninterrupted(() => page.evaluate(startWatch, { watch: WATCH, marks }))
      const { painted } = nextPaint()
      // The page has just begun a frame. Without the pause, all edits would fall on the same moment of a frame.
      await wait(Math.random() * FRAME_MS)
      const begin = performance.now()
      write()
      const end = await painted
      return end && end - begin
    },
    setState: (note) =>
      uninterrupted(async () => {
        await page.evaluate(changeState, PATIENCE_MS)
        await page.fill('[data-input]', note)
      }),
    readState: () => uninterrupted(() => page.evaluate(readState)),
    close: () => context.close(),
  }
}

/** Repeats work in a page that reloads meanwhile. */
async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  for (let interruptions = 0; ; interruptions++) {
    try {
      return await work()
    } catch (error) {
      const isReload = /context was destroyed|navigation|not attached/i.test(String(error))
      if (!isReload || interruptions === MAX_INTERRUPTIONS) throw error
    }
  }
}

/** Returns the difference between the page's clock and `performance.now()` of this process. */
async function readClockOffset(page: Page): Promise<number> {
  let best = { roundTrip: Number.POSITIVE_INFINITY, offset: 0 }
  for (let reading = 0; reading < CLOCK_READINGS; reading++) {
    const before = performance.now()
    const there = await page.evaluate(readClock)
    const after = performance.now()
    const roundTrip = after - before
    if (roundTrip < best.roundTrip) best = { roundTrip, offset: there - (before + after) / 2 }
  }
  return best.offset
}
