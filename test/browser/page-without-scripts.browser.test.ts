// Pages that export `hydrate = false`, in a browser that runs scripts.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildApp(t, 'stored')
const { app } = await serve(t, dir)
const url = `${await listen(t, app)}/hydrated`

t.test('a link from a hydrated page loads the document, and its form and links work without scripts', async (t) => {
  const chromium = await launchChromium(t)
  const open = await chromium.open({}, t)
  const messages: string[] = []
  open.page.on('console', (message) => messages.push(message.text()))
  await open.goto(url, 'load')
  await open.hydrated()
  await open.click('button')
  t.equal(await open.read('button'), 'count: 1')
  await open.click('a')
  await open.page.waitForSelector('form')
  t.equal(await open.read('h1'), 'Plain')
  const scripts = await open.page.evaluate(() => [
    document.scripts.length,
    performance.getEntriesByType('resource').length,
    '__hydrant' in self,
  ])
  t.strictSame(scripts, [0, 0, false], 'a document of its own, which loads nothing')
  await open.click('button')
  await open.page.waitForSelector('#sent:not(:empty)')
  t.equal(await open.read('#sent'), 'sent Ada')
  await open.click('a')
  await open.page.waitForSelector('text=count: 0')
  t.equal(await open.read('h1'), 'Hydrated')
  t.strictSame(messages, [])
})
