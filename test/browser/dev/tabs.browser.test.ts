/// <reference lib="dom" />

import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '../../until.ts'
import { startDevSite } from './dev-site.ts'

/** A browser has six connections to a host over HTTP/1.1. */
const TABS = 8

const site = await startDevSite(t, 'dev')

t.test('updates many tabs of a site, also after one of them is closed', async (t) => {
  const context = await (await site.open('/tabs')).page.context().browser()?.newContext()
  if (!context) throw new Error('no browser')
  const tabs: Page[] = []
  for (let count = 0; count < TABS; count++) {
    const tab = await context.newPage()
    await tab.goto(`${site.url}tabs`)
    await hasWord(tab, 'first')
    tabs.push(tab)
  }
  t.equal(tabs.length, TABS)
  site.edit('parts/word.tsx', 'first', 'second')
  for (const tab of tabs) await hasWord(tab, 'second')

  await tabs.shift()?.close()
  site.edit('parts/word.tsx', 'second', 'third')
  for (const tab of tabs) await hasWord(tab, 'third')

  site.edit('parts/word.tsx', '</b>', '</i>')
  for (const tab of tabs) await tab.waitForSelector('hydrant-overlay', { state: 'attached' })
  site.edit('parts/word.tsx', 'third</i>', 'fourth</b>')
  for (const tab of tabs) {
    await hasWord(tab, 'fourth')
    await tab.waitForSelector('hydrant-overlay', { state: 'detached' })
  }
  await context.close()
})

t.test('updates each tab where the browser has no locks', async (t) => {
  const { page, says } = await site.open('/tabs')
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'))
  await page.reload()
  t.equal(await page.evaluate(() => 'locks' in navigator), false)
  site.edit('parts/word.tsx', 'fourth', 'fifth')
  await says('#word', 'fifth')
})

t.test('removes the service worker of another site at this address, which shows stored pages', async (t) => {
  site.write(
    'public/worker.js',
    `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(new Response('<b id="word">stored</b>', { headers: { 'content-type': 'text/html' } }))
})
`,
  )
  const context = await (await site.open('/tabs')).page.context().browser()?.newContext()
  if (!context) throw new Error('no browser')
  const tab = await context.newPage()
  await tab.goto(`${site.url}tabs`)
  await tab.evaluate(() => navigator.serviceWorker.register('/worker.js').then(() => {}))
  await site.dev.waitFor(/a browser has the service worker \/worker\.js: it may show stored pages/)
  await tab.waitForFunction(() => navigator.serviceWorker.controller)
  await tab.reload()
  await hasWord(tab, 'stored')
  site.remove('public/worker.js')
  await until(async () => (await fetch(`${site.url}worker.js`)).status === 404)
  // A browser does this after a navigation.
  await tab.evaluate(() => navigator.serviceWorker.getRegistration().then((found) => void found?.update()))
  await hasWord(tab, 'fifth')
  await site.dev.waitFor(/a browser has the service worker \/worker\.js of another site at this address: it is removed/)
  t.equal(await tab.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0)
  await context.close()
})

async function hasWord(tab: Page, word: string): Promise<void> {
  await tab.waitForFunction((text) => document.querySelector('#word')?.textContent === text, word)
}
