/// <reference lib="dom" />

// The service worker of docs/service-workers.md.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BUILD_FOLDER, BUILD_PATHS } from '../../src/server/build-output/manifest.ts'
import { copyApp } from '../build-app.ts'
import { readMarkdown } from '../docs/code/code-block.ts'
import { listen } from '../server/lines.ts'
import { serve, writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { launchChromium } from './chromium.ts'

const documented = readMarkdown('docs/service-workers.md').filter(({ path }) => path !== '')
/** Stores every response, as many workers do. */
const STORES_ALL = `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') event.respondWith(find(event))
})
async function find(event) {
  const cache = await caches.open('all')
  try {
    const response = await fetch(event.request)
    event.waitUntil(cache.put(event.request, response.clone()))
    return response
  } catch {
    return (await cache.match(event.request)) ?? Response.error()
  }
}
`
const dir = copyApp(t, 'assets')
// The documented files are the point of these tests.
writeFiles(dir, Object.fromEntries(documented.map(({ path, text }) => [path, text])))
await buildSharing({ dir })
const chromium = await launchChromium(t)

const fileOf = (path: string) => documented.find((block) => block.path === path)?.text ?? ''

function deploy(worker: string) {
  writeFileSync(join(dir, BUILD_FOLDER, BUILD_PATHS.public, 'sw.js'), worker)
}

/** Opens a page whose requests a worker responds to. */
async function visit(t: Test, { base = '/', worker = fileOf('public/sw.js') } = {}) {
  deploy(worker)
  const { app } = await serve(t, dir, { base })
  const origin = await listen(t, app)
  const open = await chromium.open({}, t)
  const root = origin + base.replace(/\/$/, '')
  const { page } = open
  await open.goto(`${root}/`, 'load')
  await open.hydrated()
  await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === 'activated')
  return { ...open, app, root, goOffline: () => page.context().setOffline(true) }
}

for (const base of ['/', '/base']) {
  t.test(`a visitor without a network sees the stored documents below ${base}`, async (t) => {
    const { root, page, goto, hydrated, hasText, click, goOffline, evaluate, shown } = await visit(t, { base })
    for (const path of ['/shop/cart', '/shop', '/']) {
      await goto(root + path, 'load')
      await hydrated()
    }
    t.match(await evaluate(() => navigator.serviceWorker.controller?.scriptURL, null), /sw\.js$/)
    await goOffline()
    await goto(`${root}/shop`, 'load')
    await hydrated()
    await hasText('h2', 'Shop')
    await click('#home')
    await hasText('h1', 'Home')
    await hydrated()
    await click('button')
    await hasText('button', '1')
    await click('#cart')
    await hasText('h1', 'Cart')
    await click('#home')
    await hasText('h1', 'Home')
    await click('#late')
    await hasText('h1', 'No network')
    t.equal(page.url(), `${root}/late`)
    await goto(`${root}/shop`, 'load')
    await hydrated()
    await click('button')
    await shown('.hydrant-notice')
    await hasText('.hydrant-notice', 'The form was not sent: there is no network connection.')
    await page.context().setOffline(false)
  })
}

t.test('documents stream through the worker, navigations load no document, and forms are sent once', async (t) => {
  const { root, page, goto, shown, hasText, hydrated, fill, click } = await visit(t)
  const documents: string[] = []
  page.on('request', (request) => request.resourceType() === 'document' && documents.push(request.url()))
  await goto(`${root}/late`, 'commit')
  await shown('#wait')
  const { finish } = globalThis as unknown as { finish(text: string): void }
  finish('came later')
  await hasText('#text', 'came later')
  await goto(`${root}/shop`, 'load')
  await hydrated()
  await fill('input', 'tea')
  await click('button')
  await hasText('h1', 'tea')
  await click('#cart')
  await hasText('h1', 'Cart')
  t.strictSame(documents, [`${root}/late`, `${root}/shop`])
  const stored = await page.evaluate(async () =>
    (await (await caches.open('documents-1')).keys()).map(({ url }) => url),
  )
  t.strictSame(stored.sort(), [`${root}/offline.html`, `${root}/shop`], 'a document that streams is not stored')
})

t.test('a worker that stores navigations has them only for pages with the same layouts', async (t) => {
  const { root, goto, hydrated, click, hasText, count, goOffline, page } = await visit(t, { worker: STORES_ALL })
  for (const path of ['/shop/cart', '/', '/shop']) {
    await goto(root + path, 'load')
    await hydrated()
  }
  await click('#cart')
  await hasText('h1', 'Cart')
  await click('#home')
  await hasText('h1', 'Home')
  await goOffline()
  // The stored navigation to the cart came from a page that had the layout of the shop already.
  await click('#cart')
  await hasText('h1', 'Cart')
  await hasText('h2', 'Shop')
  t.equal(await count('[role=alert]'), 0)
  await page.context().setOffline(false)
})

t.test('the file that removes a worker gives the pages back to the server', async (t) => {
  const { app, root, goto, hydrated, page, evaluate } = await visit(t)
  await goto(`${root}/shop`, 'load')
  await hydrated()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  let requests = 0
  const again = new Promise<void>((resolve) => {
    app.server.on('request', ({ url }) => {
      if (url !== '/shop') return
      requests++
      resolve()
    })
  })
  deploy(fileOf('public/old-worker.js'))
  await evaluate(() => navigator.serviceWorker.getRegistration().then((found) => void found?.update()), null)
  await again
  await page.waitForFunction(async () => {
    const { controller } = navigator.serviceWorker
    return !controller && !(await navigator.serviceWorker.getRegistration()) && (await caches.keys()).length === 0
  })
  t.equal(requests, 1, 'the page is loaded again once')
  await hydrated()
})
