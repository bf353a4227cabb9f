/// <reference lib="dom" />

// Documents that the build has rendered for another origin than the one at which the browser loads them.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildApp(t, 'stored')
const { app } = await serve(t, dir)
const url = `${await listen(t, app)}/prerendered`

t.test('a prerendered document hydrates, forbids other scripts and navigates', async (t) => {
  const chromium = await launchChromium(t)
  const open = await chromium.open({}, t)
  const messages: string[] = []
  open.page.on('console', (message) => messages.push(message.text()))
  await open.goto(url, 'load')
  await open.hydrated()
  await open.click('button')
  t.equal(await open.read('button'), 'count: 1')
  t.equal(await open.read('h1'), url)
  t.not(await open.read('p'), String(process.pid), 'the build has rendered it')
  t.strictSame(messages, [], 'no message of the policy, and none about hydration')
  await open.click('a')
  await open.shown('a[href="/prerendered/plain"]')
  t.equal(await open.read('h1'), 'News 7')
  t.not(await open.read('p'), String(process.pid), 'the data comes from the build, too')
  await open.page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="self.ran = 1">')
  })
  await until(() => messages.some((text) => text.includes('violates the following Content Security Policy')))
  t.equal(await open.page.evaluate(() => 'ran' in self), false)
  await open.click('a')
  await open.page.waitForURL('**/plain')
  t.equal(await open.read('h1'), 'Plain')
  t.equal(await open.count('script'), 0)
})
