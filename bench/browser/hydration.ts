import type { Browser } from 'playwright-core'
import { inNewPage, SLOWDOWN } from './browser.ts'
import type { HydrationFigures, HydrationSample } from './figures.ts'
import { RESULT, watchHydration } from './in-page.ts'
import { measureRounds, type Rounds, readResult } from './rounds.ts'

/** The time between two clicks on the counter. */
const PAUSE_MS = 2

/** Measures when the page with 2,398 tiles becomes interactive. */
export async function measureHydration(rounds: Omit<Rounds<HydrationSample>, 'measure'>): Promise<HydrationFigures> {
  return { ...(await measureRounds({ ...rounds, measure: measureLoad })), slowdown: SLOWDOWN }
}

function measureLoad(browser: Browser, url: string): Promise<HydrationSample> {
  return inNewPage(browser, async (page) => {
    await page.addInitScript(watchHydration, { result: RESULT, pauseMs: PAUSE_MS })
    const result = readResult<HydrationSample>(page, RESULT)
    const [sample] = await Promise.all([result, page.goto(`${url}/spiral`, { waitUntil: 'commit' })])
    return sample
  })
}
