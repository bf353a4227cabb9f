import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM_SHELL } from '../../test/tools.ts'

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
export const SLOWDOWN = 4

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM_SHELL, args: ARGUMENTS })
}

/** Runs work in a new page with an empty cache and a slow processor. */
export async function inNewPage<Result>(browser: Browser, work: (page: Page) => Promise<Result>): Promise<Result> {
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
