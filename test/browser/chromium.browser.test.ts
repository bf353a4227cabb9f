/// <reference lib="dom" />

import fastify from 'fastify'
import t, { type Test } from 'tap'
import { listen } from '../server/lines.ts'
import { launchChromium } from './chromium.ts'

const requested: string[] = []
const app = fastify()
app.addHook('onRequest', async ({ url, headers }) => {
  requested.push(`${url} ${headers.cookie ?? ''}`)
})
app.get('/cached.js', async (_, reply) =>
  reply.header('cache-control', 'max-age=1000').type('text/javascript').send(''),
)
app.get('/worker.js', async (_, reply) => reply.type('text/javascript').send("addEventListener('fetch', () => {})"))
app.get('/:path', async (_, reply) =>
  reply
    .header('set-cookie', 'a=1; max-age=1000')
    .type('text/html')
    .send('<title>page</title><p style="height: 5000px">text</p><script src="/cached.js"></script>'),
)
t.teardown(() => app.close())
const origin = await listen(t, app)
const chromium = await launchChromium(t)
const processes = new Set<unknown>()

async function see(t: Test, isUsed: boolean) {
  const { page, protocol, goto, evaluate, errors } = await chromium.open({}, t)
  requested.length = 0
  await goto(`${origin}/one`, 'load')
  processes.add((await protocol.send('Target.getTargetInfo')).targetInfo.targetId)
  const seen = await evaluate(async () => {
    document.querySelector('p')?.addEventListener('mouseover', () => console.error('the mouse is there'))
    const found = {
      cookie: document.cookie,
      stored: [localStorage.length, sessionStorage.length],
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      length: history.length,
      state: history.state,
      name: window.name,
      scrolled: scrollY,
      focus: document.activeElement?.tagName,
      isOnLine: navigator.onLine,
    }
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))
    return found
  }, null)
  const all = { ...seen, errors: [...errors], requested: [...requested], pages: page.context().pages().length }
  if (isUsed) {
    await page.mouse.move(100, 100)
    const opened = page.waitForEvent('popup')
    await evaluate(async () => {
      localStorage.setItem('a', 'b')
      sessionStorage.setItem('a', 'b')
      window.name = 'named'
      history.pushState({ a: 1 }, '', '#pushed')
      await caches.open('a')
      await new Promise((resolve) => Object.assign(indexedDB.open('a'), { onsuccess: resolve }))
      await navigator.serviceWorker.register('/worker.js')
      window.open('/two')
      scrollTo(0, 1000)
    }, null)
    await opened
    await page.route('**/*', (route) => route.abort())
    await page.context().setOffline(true)
  }
  return all
}

t.test('the second test of a page finds it like a new one', async (t) => {
  const seen: unknown[] = []
  for (const number of [1, 2, 3]) await t.test(`test ${number}`, async (t) => seen.push(await see(t, true)))
  t.equal(processes.size, 1, 'it is the same page')
  t.same(seen[1], seen[0])
  t.same(seen[2], seen[0])
  t.match(seen[0], { length: 2, requested: ['/one ', '/cached.js a=1'] })
})
