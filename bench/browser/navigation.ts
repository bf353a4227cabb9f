import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { inNewPage, SLOWDOWN } from './browser.ts'
import type { NavigationFigures, NavigationSample } from './figures.ts'
import { RESULT, watchClick } from './in-page.ts'
import { hasRouter, LINK_ID } from './patches.ts'
import { measureRounds, type Rounds, readResult } from './rounds.ts'

const ROWS = 100
/** A page is quiet when no request has begun or ended for this time. */
const QUIET_MS = 400
const MOST_WAIT_MS = 20_000
const FRAME_MS = 1_000 / 60

/** Measures clicks on a link from `/hello` to `/data`, after the pointer has rested on the link. */
export async function measureNavigation(rounds: Omit<Rounds<NavigationSample>, 'measure'>): Promise<NavigationFigures> {
  const peers = rounds.peers.filter(hasRouter)
  return { ...(await measureRounds({ ...rounds, peers, measure: measureClick })), slowdown: SLOWDOWN }
}

function measureClick(browser: Browser, url: string): Promise<NavigationSample> {
  return inNewPage(browser, async (page) => {
    const network = watchNetwork(page)
    await page.addInitScript(watchClick, { result: RESULT, rows: ROWS })
    await page.goto(`${url}/hello`, { waitUntil: 'load' })
    await network.quiet()
    const box = await page.locator(`#${LINK_ID}`).boundingBox()
    if (!box) throw new Error('the page does not show the link')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await network.quiet()
    const before = network.count()
    // Without the pause, all clicks would fall on the same moment of a frame.
    await wait(Math.random() * FRAME_MS)
    const result = readResult<Omit<NavigationSample, 'requests'>>(page, RESULT)
    const [times] = await Promise.all([result, page.mouse.down().then(() => page.mouse.up())])
    return { ...times, requests: network.count() - before }
  })
}

function watchNetwork(page: Page) {
  let [begun, open, changedAt] = [0, 0, performance.now()]
  const change = (difference: number) => {
    open += difference
    changedAt = performance.now()
  }
  page.on('request', () => {
    begun++
    change(1)
  })
  page.on('requestfinished', () => change(-1))
  page.on('requestfailed', () => change(-1))
  return {
    count: () => begun,
    async quiet() {
      const begin = performance.now()
      changedAt = begin
      for (;;) {
        const now = performance.now()
        if ((open <= 0 && now - changedAt >= QUIET_MS) || now - begin > MOST_WAIT_MS) return
        await wait(QUIET_MS / 10)
      }
    },
  }
}
