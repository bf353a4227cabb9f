import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM_SHELL } from '../../test/tools.ts'
import { type Peer, pathFor } from '../compare/peer.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { hasRouter, LINK_ID } from './copies.ts'
import { RESULT, watchClick, watchHydration } from './in-page.ts'

/** The samples of every server, by its name. Samples with the same place belong to one round. */
export interface BrowserFigures<Sample> {
  chromium: string
  /** The factor by which the page's processor is slowed down. */
  slowdown: number
  servers: Readonly<Record<string, readonly Sample[]>>
}

/** A click on a link to a page that the browser has fetched in advance, if the framework does that. */
export interface NavigationSample {
  /** The time from the click until the browser has painted the next page. */
  paintedMs: number
}

export interface HydrationSample {
  /** The time from the navigation until a click on the counter takes effect and React has the last tile. */
  interactiveMs: number
}

export interface Rounds {
  peers: readonly Peer[]
  samples: number
  note: (text: string) => void
  onProblem: (text: string) => void
}

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const PATIENCE_MS = 60_000
/** The factor by which Chromium slows the page's processor down: a telephone instead of a computer. */
const SLOWDOWN = 4
/** The time between two clicks on the counter. */
const PAUSE_MS = 2
const ROWS = 100
/** A page is quiet when no request has begun or ended for this time. */
const QUIET_MS = 400
const MOST_WAIT_MS = 20_000
const FRAME_MS = 1_000 / 60

/** Measures clicks on a link from `/hello` to `/data`, after the pointer has rested on the link. */
export function measureNavigation(rounds: Rounds): Promise<BrowserFigures<NavigationSample>> {
  return measureRounds<NavigationSample>({ ...rounds, peers: rounds.peers.filter(hasRouter) }, async (page, url) => {
    const untilQuiet = watchNetwork(page)
    await page.addInitScript(watchClick, { result: RESULT, rows: ROWS })
    await page.goto(`${url}/hello`, { waitUntil: 'load' })
    await untilQuiet()
    const box = await page.locator(`#${LINK_ID}`).boundingBox()
    if (!box) throw new Error('the page does not show the link')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await untilQuiet()
    // Without the pause, all clicks would fall on the same moment of a frame.
    await wait(Math.random() * FRAME_MS)
    const result = readResult<NavigationSample>(page)
    const [sample] = await Promise.all([result, page.mouse.down().then(() => page.mouse.up())])
    return sample
  })
}

/** Measures when the page with 2,398 tiles becomes interactive. */
export function measureHydration(rounds: Rounds): Promise<BrowserFigures<HydrationSample>> {
  return measureRounds<HydrationSample>(rounds, async (page, url) => {
    await page.addInitScript(watchHydration, { result: RESULT, pauseMs: PAUSE_MS })
    const result = readResult<HydrationSample>(page)
    const [sample] = await Promise.all([result, page.goto(`${url}/spiral`, { waitUntil: 'commit' })])
    return sample
  })
}

/**
 * Measures all servers in turns. The first round is left out: the servers and the browser are cold then. Every second
 * round runs backwards, so that a drift of the machine cancels out.
 */
async function measureRounds<Sample>(
  { peers, samples, note, onProblem }: Rounds,
  measure: (page: Page, url: string) => Promise<Sample>,
): Promise<BrowserFigures<Sample>> {
  const servers: Record<string, Sample[]> = {}
  const running = new Map<string, ServerProcess>()
  const browser = await chromium.launch({ executablePath: CHROMIUM_SHELL, args: ARGUMENTS })

  /** A server that fails once takes no further part. */
  async function attempt(name: string, work: () => Promise<void>) {
    try {
      await work()
    } catch (error) {
      onProblem(`${name}: ${error instanceof Error ? error.message : error}`)
      await running.get(name)?.stop()
      running.delete(name)
    }
  }

  try {
    for (const { name, dir, start } of peers) {
      await attempt(name, async () => {
        const words = ['sh', '-c', start]
        const env = { PATH: pathFor(dir) }
        running.set(name, await startServer({ words, dir, path: '/hello', log: `${dir}.log`, env }))
      })
    }
    for (let round = 0; round <= samples; round++) {
      note(`round ${round} of ${samples}`)
      const order = [...running]
      for (const [name, { url }] of round % 2 === 0 ? order : order.reverse()) {
        await attempt(name, async () => {
          const sample = await inNewPage(browser, (page) => measure(page, url))
          if (round > 0) servers[name] = [...(servers[name] ?? []), sample]
        })
      }
    }
    return { chromium: browser.version(), slowdown: SLOWDOWN, servers }
  } finally {
    await browser.close()
    for (const server of running.values()) await server.stop()
  }
}

/** Runs work in a new page with an empty cache and a slow processor. */
async function inNewPage<Result>(browser: Browser, work: (page: Page) => Promise<Result>): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const protocol = await context.newCDPSession(page)
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    return await work(page)
  } finally {
    await context.close()
  }
}

/** Resolves with the object that a script of the page writes to the console. */
async function readResult<Result>(page: Page): Promise<Result> {
  const message = await page.waitForEvent('console', { predicate: (message) => message.text().startsWith(RESULT) })
  // The cast is safe because the page's script writes a `Result` there.
  return JSON.parse(message.text().slice(RESULT.length)) as Result
}

/** Returns a function that waits until the page is quiet, twenty seconds at most. */
function watchNetwork(page: Page): () => Promise<void> {
  let [open, changedAt] = [0, 0]
  const change = (difference: number) => () => {
    open += difference
    changedAt = performance.now()
  }
  page.on('request', change(1))
  page.on('requestfinished', change(-1))
  page.on('requestfailed', change(-1))
  return async () => {
    const begin = performance.now()
    changedAt = begin
    for (;;) {
      const now = performance.now()
      if ((open <= 0 && now - changedAt >= QUIET_MS) || now - begin > MOST_WAIT_MS) return
      await wait(QUIET_MS / 10)
    }
  }
}
