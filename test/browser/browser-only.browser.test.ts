/// <reference lib="dom" />

// Parts that only the browser renders: `use(browser())` of react-dom.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { HTML, JSON_ONLY, serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { serveSmallSite, takesNavigations } from './navigation-site.ts'

const dir = await buildApp(t, 'streams')

t.test('the server sends the fallback, and nothing has failed', async (t) => {
  const { get, log } = await serve(t, dir)
  for (const [path, cacheControl] of [
    ['/width', /no-/],
    ['/stored', /public, max-age=60/],
    ['/late', /no-store/],
  ] as const) {
    const response = await get(path)
    t.equal(response.statusCode, 200, path)
    t.match(response.headers['cache-control'], cacheControl)
    t.notOk(response.headers['x-error-digest'])
    t.match(response.body, '<p id="wait">no width</p>')
    t.notMatch(response.body, /id="width"|Digest|known only here/)
  }
  const data = await get('/stored', JSON_ONLY)
  t.strictSame(data.json(), { a: 1 })
  t.strictSame(log.errors(), [])
})

t.test('outside of Suspense there is no fallback to send, which is a failure', async (t) => {
  const { get, failuresOf } = await serve(t, dir)
  const response = await get('/outside', HTML)
  t.equal(response.statusCode, 500)
  t.match(failuresOf(response), [{ err: { message: /outside a Suspense boundary/ } }])
})

t.test('the browser renders them, from documents and in navigations', async (t) => {
  const small = await serveSmallSite(t, {}, dir)
  const visitor = await small.visit(t)
  for (const path of ['/width', '/late', '/stored', '/stored']) {
    await visitor.goto(small.origin + path, 'load')
    await visitor.hasText('#width', '1280')
    t.equal(await visitor.count('#wait'), 0)
  }
  await takesNavigations(visitor)
  visitor.documents.length = 0
  await visitor.click('/plain')
  await visitor.shown('#plain')
  await visitor.click('/width')
  await visitor.hasText('#width', '1280')
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.errors, [])
  t.strictSame(small.served.log.errors(), [], 'nothing is reported')
})

t.test('a failure in the browser is the browser’s: the empty digest of the server is not shown', async (t) => {
  const small = await serveSmallSite(t, {}, dir)
  const visitor = await small.visit(t)
  const reported = visitor.page.waitForResponse((response) => response.url().includes('/_hydrant/report'))
  await visitor.goto(`${small.origin}/breaks`, 'load')
  await visitor.shown('.hydrant-failure')
  t.match(await visitor.read('.hydrant-failure'), /client-side exception/)
  t.notMatch(await visitor.read('.hydrant-failure'), /digest/i)
  await reported
  t.match(small.served.log.errors(), [{ side: 'client' }])
})

t.test('without JavaScript the fallback stays readable', async (t) => {
  const { app } = await serve(t, dir)
  const origin = await listen(t, app)
  const chromium = await launchChromium(t)
  const visitor = await chromium.open({ javaScript: false }, t)
  for (const path of ['/width', '/late', '/stored']) {
    await visitor.goto(origin + path, 'load')
    await visitor.shown('#wait')
  }
})

t.test('they are rendered in a document that a proxy cut before its scripts ran', async (t) => {
  const { served, visit, origin } = await serveSmallSite(t, {}, dir)
  const { page, goto, read } = await visit(t)
  let cut = () => {}
  served.app.server.on('request', ({ url, socket }) => {
    // The last chunk: the browser takes the document for complete.
    if (url === '/cut') cut = () => socket.end('0\r\n\r\n')
  })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\.js$/, async (route) => {
    await released
    await route.continue()
  })
  await goto(`${origin}/cut`, 'commit')
  await page.locator('#wait').first().waitFor()
  cut()
  await page.waitForFunction(() => document.readyState !== 'loading')
  release()
  await page.locator('.hydrant-failure').waitFor()
  t.equal(await read('#width'), '1280')
  t.equal(await page.locator('.hydrant-failure').count(), 1, 'only what was pending has failed')
})
