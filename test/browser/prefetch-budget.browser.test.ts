/// <reference lib="dom" />

// Which pages are prefetched, how many at a time, and how long they may be used.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { keepPrefetched, serveSmallSite, type Visitor } from './navigation-site.ts'

const dir = await buildApp(t, 'navigation')

/** Calls `prefetch` of `hydrant/react`. Resolves when it does. */
const prefetch = (visitor: Visitor, url: string) =>
  visitor.evaluate(
    (url) => (globalThis as unknown as { prefetch(url: string): Promise<void> }).prefetch(url).then(() => true),
    url,
  )
const touch = (visitor: Visitor, path: string) =>
  visitor.page.locator(`a[href="${path}"]`).first().dispatchEvent('touchstart')

t.test('three responses may be pending: a newer link ends the oldest request', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, { init: keepPrefetched })
  await visitor.start('/links')
  for (const number of [0, 1, 2]) {
    await touch(visitor, `/n/${number}`)
    await gates.gate(`n${number}`).reached
  }
  await touch(visitor, '/n/3')
  t.match(await gates.gate('n0').left, { name: 'AbortError' })
  await gates.gate('n3').reached
  await visitor.page.locator('a[href="/n/1"]').click()
  t.match(await gates.gate('n2').left, { name: 'AbortError' }, 'the visitor waits for one page only')
  gates.gate('n1').open()
  await visitor.stands('Number 1')
  t.strictSame(visitor.asked, ['/n/0', '/n/1', '/n/2', '/n/3'], 'which has been requested already')
})

t.test('five pages are kept, and the least recently used one makes room', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, { init: keepPrefetched })
  await visitor.start('/links')
  for (const number of [0, 1, 2, 3, 4]) {
    gates.gate(`n${number}`).open()
    await prefetch(visitor, `/n/${number}`)
  }
  await touch(visitor, '/n/0')
  gates.gate('n5').open()
  await prefetch(visitor, '/n/5')
  visitor.asked.length = 0
  for (const number of [0, 5, 1]) {
    await visitor.page.evaluate((path) => navigation.navigate(path).finished, `/n/${number}`)
    await visitor.stands(`Number ${number}`)
  }
  t.strictSame(visitor.asked, ['/n/1'])
})

t.test('prefetch() waits for its turn, and for the page', async (t) => {
  const { visit, gates, origin } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, { init: keepPrefetched })
  await visitor.start('/links')
  const done: number[] = []
  const all = [0, 1, 2, 3].map((number) => prefetch(visitor, `/n/${number}`).then(() => done.push(number)))
  for (const number of [0, 1, 2]) await gates.gate(`n${number}`).reached
  await touch(visitor, '/n/4')
  t.strictSame(visitor.asked, ['/n/0', '/n/1', '/n/2'], 'a link does not end what a script asked for')
  t.strictSame(done, [])
  gates.gate('n0').open()
  await gates.gate('n3').reached
  await all[0]
  t.strictSame(done, [0])
  for (const number of [1, 2, 3]) gates.gate(`n${number}`).open()
  await Promise.all(all)
  visitor.asked.length = 0
  for (const url of ['https://example.com/', 'http://[', '/robots.txt', '/links', `${origin}/links#top`])
    t.equal(await prefetch(visitor, url), true, `${url} is ignored`)
  t.strictSame(visitor.asked, [])
  t.strictSame(visitor.errors, [])
})

t.test('a page with parts that follow later has its place until they have arrived', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, { init: keepPrefetched })
  await visitor.start('/links')
  for (const number of [0, 1, 2]) await prefetch(visitor, `/later?${number}`)
  const fourth = prefetch(visitor, '/n/0')
  await visitor.evaluate(() => null, null)
  t.strictSame(visitor.asked, ['/later?0', '/later?1', '/later?2'])
  gates.gate('later?1').open()
  gates.gate('n0').open()
  t.equal(await fourth, true)
  t.strictSame(visitor.asked, ['/later?0', '/later?1', '/later?2', '/n/0'])
})

t.test('a page that is too old to be used gives its place to another one', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.page.clock.install()
  await visitor.start('/links')
  for (const number of [0, 1, 2]) await prefetch(visitor, `/later?${number}`)
  const fourth = prefetch(visitor, '/n/0')
  gates.gate('n0').open()
  await visitor.page.clock.runFor(10_000)
  t.equal(await fourth, true)
})

t.test('effects of the first render prefetch and refresh, whichever kind they are', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.start('/early')
  for (const name of ['n0', 'n1']) {
    await gates.gate(name).reached
    gates.gate(name).open()
  }
  await visitor.page.locator('#loads', { hasText: '2' }).waitFor()
  t.equal(await visitor.page.textContent('#problem'), 'none')
  t.strictSame(visitor.errors, [])
})

t.test('links are prefetched when they become visible', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, {
    init: () => {
      const priorities: unknown[] = []
      const original = fetch
      Object.assign(window, {
        priorities,
        fetch(...given: Parameters<typeof fetch>) {
          priorities.push(given[1]?.priority)
          return original(...given)
        },
      })
    },
  })
  const { page } = visitor
  await visitor.start('/visible')
  for (const name of ['n0', 'n1']) {
    await gates.gate(name).reached
    gates.gate(name).open()
  }
  await page.locator('#below').scrollIntoViewIfNeeded()
  await gates.gate('n8').reached
  gates.gate('n8').open()
  await visitor.evaluate(() => {
    const link = document.createElement('a')
    link.href = '/n/9'
    link.dataset.hydrantPrefetch = 'visible'
    link.textContent = 'added'
    document.querySelector('#below')?.after(link)
  }, null)
  await gates.gate('n9').reached
  t.notOk(
    visitor.asked.some((path) => /[67]$/.test(path)),
    'the nearest attribute decides',
  )
  const priorities = await page.evaluate(() => (window as unknown as { priorities: unknown[] }).priorities)
  t.strictSame([...new Set(priorities)], ['low'])
  t.strictSame(visitor.errors, [])
})

t.test('a visible link counts that arrives after the page is interactive', async (t) => {
  const { visit, gates, origin } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  await visitor.goto(`${origin}/late-link`, 'commit')
  await visitor.hydrated()
  gates.gate('late-link').open()
  await gates.gate('n0').reached
  t.pass('its page is requested')
})

t.test('visible links share the budget', async (t) => {
  const { visit, gates, origin } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, { init: keepPrefetched })
  await visitor.goto(`${origin}/many`, 'load')
  for (const number of [0, 1, 2, 3, 4, 5, 6]) {
    if (number < 5) await gates.gate(`n${number}`).reached
    gates.gate(`n${number}`).open()
  }
  gates.gate('n9').open()
  await prefetch(visitor, '/n/9')
  t.strictSame(visitor.asked.toSorted(), ['/n/0', '/n/1', '/n/2', '/n/3', '/n/4', '/n/9'])
})

t.test('nothing is prefetched on a slow connection, unless a script asks for it', async (t) => {
  const { visit, gates } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, {
    init: () => Object.defineProperty(navigator, 'connection', { value: { effectiveType: 'slow-2g' } }),
  })
  await visitor.page.clock.install()
  await visitor.start('/visible')
  await visitor.page.locator('a[href="/n/6"]').hover()
  await visitor.page.clock.runFor(1000)
  t.strictSame(visitor.asked, [])
  gates.gate('n0').open()
  await prefetch(visitor, '/n/0')
  t.strictSame(visitor.asked, ['/n/0'])
})

t.test('a prefetched page outlives a navigation, if it has the layouts that are on the screen', async (t) => {
  const { visit } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t, { init: keepPrefetched })
  await visitor.start('/links')
  await prefetch(visitor, '/target')
  await prefetch(visitor, '/a/b')
  await visitor.click('/a')
  await visitor.stands('A')
  t.equal(await visitor.read('#of-a'), '2')
  await visitor.click('/a/b')
  await visitor.stands('B')
  t.equal(await visitor.read('#of-a'), '2', 'the layout does not show older data')
  await visitor.click('/target')
  await visitor.stands('Target')
  t.strictSame(visitor.asked, ['/target', '/a/b', '/a', '/a/b'])
  t.strictSame(visitor.documents, [])
})

t.test('a prefetch that failed or was redirected has no consequences', async (t) => {
  const { visit } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  const { page } = visitor
  await visitor.start('/links')
  await prefetch(visitor, '/fails-once')
  await prefetch(visitor, '/sign-in')
  await page.route('**/target?_hydrant', (route) => route.abort(), { times: 1 })
  await prefetch(visitor, '/target')
  for (const [path, title] of [
    ['/fails-once', 'Works'],
    ['/sign-in', 'Signed in'],
    ['/target', 'Target'],
  ] as const) {
    await visitor.click(path)
    await visitor.stands(title)
  }
  t.strictSame(visitor.documents, [])
})

t.test('an action discards what was prefetched before', async (t) => {
  const { visit } = await serveSmallSite(t, {}, dir)
  const visitor = await visit(t)
  const { page } = visitor
  await visitor.start('/target')
  await prefetch(visitor, '/a')
  const acted = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('button', { name: 'Act' }).click()
  await acted
  await visitor.click('/a')
  await visitor.stands('A')
  t.equal(await visitor.read('#of-a'), '2')
})
