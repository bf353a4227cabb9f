/// <reference lib="dom" />

// What a visitor does before hydration, in Firefox and in WebKit.

import t, { type Test } from 'tap'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'
import { startHeld } from './held-site.ts'
import { launchWebkit } from './webkit.ts'

/** The key of WebDriver (https://www.w3.org/TR/webdriver2/#keyboard-actions). */
const ENTER = '\uE007'

/** Includes the start of a browser. */
const TIMEOUT_MS = 120_000

const site = await startHeld(t)

for (const [name, launch] of Object.entries({ Firefox: launchFirefox, WebKit: launchWebkit })) {
  /** Opens a page whose scripts wait. The driver does not wait for them. */
  async function open(t: Test, path: string, late = '0') {
    const gates = site.hold()
    const page = await launch(t, 'none')
    // The driver closes the page when it has loaded.
    t.teardown(() => Object.values(gates).forEach((gate) => void gate.open()))
    await page.goto(site.origin + path)
    await page.shows('#late', late)
    const read = (selector: string) =>
      page.evaluate((selector) => document.querySelector<HTMLElement>(selector)?.innerText ?? '', selector)
    return { page, gates, read, state: async () => JSON.parse(await read('#state')) }
  }

  t.test(`${name}: clicks, keys, texts and boxes take effect once`, { timeout: TIMEOUT_MS }, async (t) => {
    const { page, gates, read, state } = await open(t, '/before')
    await page.click('#count')
    await page.click('#count')
    await page.type('#text', 'añb')
    await page.type('#area', 'שלום 日本')
    await page.click('#box')
    await page.click('#late')
    await page.type('#lateText', 'late')
    await page.click('#summary')
    t.ok(await page.evaluate(() => document.querySelector('details')?.open, null), 'at once')
    t.equal(await read('#count'), '0')
    gates.page.open()
    await page.shows('#told', 'keydown text,keydown text,keydown text')
    await page.shows('#told', 'click summary')
    await page.shows('#count', '2')
    await until(async () => (await state()).box)
    t.match(await state(), { text: 'añb', area: 'שלום 日本', box: true })
    await page.click('#late')
    gates.late.open()
    await page.shows('#late', '2')
    await page.shows('#lateState', 'late')
    await page.click('#count')
    await page.shows('#count', '3')
    t.match(await state(), { text: 'añb', area: 'שלום 日本', box: true })
    t.ok(await page.evaluate(() => document.querySelector('details')?.open, null), 'not closed again')
  })

  t.test(
    `${name}: a handler that empties a field takes nothing that is typed after it`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      const { page, gates } = await open(t, '/before-tags', 'Late')
      await page.type('#tag', `red${ENTER}blue${ENTER}green`)
      gates.page.open()
      await page.shows('#tags', 'red blue')
      await page.click('#add')
      await page.shows('#tags', 'red blue green')
    },
  )

  t.test(`${name}: a page that cannot be hydrated gets no clicks`, { timeout: TIMEOUT_MS }, async (t) => {
    const { page, gates } = await open(t, '/before?fail')
    await page.click('#count')
    gates.page.open()
    gates.late.open()
    await page.shows('h1', 'browser')
    await page.click('#count')
    await page.shows('#count', '1')
  })

  t.test(`${name}: a form is sent at once`, { timeout: TIMEOUT_MS }, async (t) => {
    const { page } = await open(t, '/before')
    await page.type('#name', 'Ада')
    await page.click('#send')
    await page.shows('#sent', 'Ада')
  })
}
