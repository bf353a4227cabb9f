/// <reference lib="dom" />

// What a visitor does before hydration, in Firefox and in WebKit. Each document is loaded by a script of the document before
// it: the driver would wait for the scripts of the page.

import t from 'tap'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'
import { startHeld } from './held-site.ts'
import { launchWebkit } from './webkit.ts'

const site = await startHeld(t)

for (const [name, launch] of Object.entries({ Firefox: launchFirefox, WebKit: launchWebkit })) {
  t.test(name, async (t) => {
    const page = await launch(t)
    await page.goto(`${site.origin}/before-plain`)

    async function open(path: string, text: string) {
      const gates = site.hold()
      await page.evaluate((url) => void setTimeout(() => location.assign(url)), site.origin + path)
      await page.shows('#late, h1', text)
      return gates
    }
    const read = (selector: string) =>
      page.evaluate((selector) => document.querySelector<HTMLElement>(selector)?.innerText ?? '', selector)
    const state = async () => JSON.parse(await read('#state'))

    await t.test('clicks, texts and boxes take effect once', async (t) => {
      const gates = await open('/before', 'Before')
      await page.click('#count')
      await page.click('#count')
      await page.type('#text', 'añb')
      await page.type('#area', 'שלום 日本')
      await page.click('#box')
      await page.click('#late')
      await page.type('#lateText', 'late')
      await page.click('#summary')
      t.equal(await read('#count'), '0')
      gates.page.open()
      await page.shows('#count', '2')
      await until(async () => (await state()).box)
      t.match(await state(), { text: 'añb', area: 'שלום 日本', box: true })
      await page.shows('#told', 'click summary')
      t.match(await read('#told'), 'keydown text,keydown text,keydown text', 'keys')
      t.ok(await page.evaluate(() => document.querySelector('details')?.open, null))
      await page.click('#late')
      gates.late.open()
      await page.shows('#late', '2')
      await page.shows('#lateState', 'late')
      await page.click('#count')
      await page.shows('#count', '3')
      t.match(await state(), { text: 'añb', area: 'שלום 日本', box: true })
    })

    await t.test('a page that is rendered anew gets them, too', async (t) => {
      const gates = await open('/before?fail', 'server')
      await page.click('#count')
      await page.type('#text', 'typed')
      await page.click('#box')
      gates.page.open()
      gates.late.open()
      await page.shows('h1', 'browser')
      await page.shows('#count', '1')
      await until(async () => (await state()).box && (await state()).text === 'typed')
      await page.click('#count')
      await page.shows('#count', '2')
      t.match(await state(), { text: 'typed', box: true })
    })

    await t.test('a form is sent once', async () => {
      await open('/before', 'Before')
      await page.type('#name', 'Ада')
      await page.click('#send')
      await page.shows('#sent', 'Ада')
    })
  })
}
