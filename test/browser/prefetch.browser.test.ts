/// <reference lib="dom" />

// Pages that are prefetched before a visitor follows their link.

import t from 'tap'
import { scriptOf } from '../server/served.ts'
import { keepPrefetched, serveSmallSite, type Visitor } from './navigation-site.ts'

const small = await serveSmallSite(t)

const ABOUT = 'nav a[href="/about"]'

const asksFor = ({ page }: Visitor, path: string) =>
  page.waitForResponse((response) => response.url().endsWith(`${path}?_hydrant`))

t.test('a link that is pointed at, focused or touched is fetched once', async (t) => {
  for (const [name, start] of Object.entries({
    hover: (visitor: Visitor) => visitor.hover(ABOUT),
    focus: (visitor: Visitor) => visitor.focus(ABOUT),
    touch: (visitor: Visitor) => visitor.page.locator('nav a[href="/about"]').first().dispatchEvent('touchstart'),
  })) {
    const visitor = await small.visit(t, { init: keepPrefetched })
    await visitor.start('/')
    await Promise.all([asksFor(visitor, '/about'), start(visitor)])
    t.equal(await visitor.read('h1'), 'Home', name)
    await visitor.click('/about')
    await visitor.stands('About')
    t.strictSame(visitor.asked, ['/about'], 'the click takes what is there')
    await visitor.evaluate(() => document.querySelector<HTMLElement>('nav a[href="/"]')?.click(), null)
    await visitor.stands('Home')
    await visitor.evaluate(async () => void (await navigation.navigate('/about').finished), null)
    t.equal(visitor.asked.filter((path) => path === '/about').length, 2, 'and only once')
    t.strictSame(visitor.documents, [])
  }
})

t.test('the navigator is loaded again after a network error', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  // For the form of the page, and for the first link that is pointed at.
  let failures = 2
  await page.route(`**/${scriptOf(small.dir, 'client/navigator.ts')}`, (route) =>
    failures-- > 0 ? route.fulfill({ status: 503 }) : route.continue(),
  )
  await visitor.start('/')
  t.ok(failures < 0)
  await Promise.all([asksFor(visitor, '/about'), visitor.hover(ABOUT)])
  t.strictSame(visitor.documents, [])
})

t.test('a prefetched page is dropped when it is stale', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await page.clock.install()
  await visitor.start('/')
  const asked = asksFor(visitor, '/about')
  await visitor.hover(ABOUT)
  await page.clock.runFor(100)
  await asked
  await page.clock.runFor(10_001)
  await visitor.click('/about')
  await visitor.stands('About')
  t.strictSame(visitor.asked, ['/about', '/about'])
})

t.test('not all links are prefetched', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await page.clock.install()
  await visitor.start('/')
  await page.clock.pauseAt(Date.now() + 60_000)
  for (const selector of [
    '#no-prefetch',
    '#reload',
    '#blank',
    '#download',
    'nav a[href="/robots.txt"]',
    'nav a[href="/"]',
  ]) {
    await page.locator(selector).first().hover()
    await page.clock.runFor(1000)
  }
  t.strictSame(visitor.asked, [])
  await visitor.hover(ABOUT)
  await page.clock.runFor(30)
  await visitor.hover('h1')
  await page.clock.runFor(1000)
  t.strictSame(visitor.asked, [], 'nor one that the pointer only passes')
})

t.test('nothing is prefetched for visitors who save data', async (t) => {
  const visitor = await small.visit(t, {
    init: () => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  })
  const { page } = visitor
  await page.clock.install()
  await visitor.start('/')
  await visitor.hover(ABOUT)
  await page.clock.runFor(1000)
  t.strictSame(visitor.asked, [])
  await visitor.click('/about')
  await visitor.stands('About')
  t.strictSame(visitor.asked, ['/about'])
})

t.test('a cookie that a prefetched page sets late does not reload the current page', async (t) => {
  const visitor = await small.visit(t)
  const { page } = visitor
  await visitor.start('/')
  await page.locator('nav a[href="/cookie"]').dispatchEvent('touchstart')
  // The entry is listed when the whole response has arrived.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/cookie?_hydrant')),
  )
  t.equal(await visitor.read('h1'), 'Home')
  t.strictSame(visitor.documents, [])
  await visitor.click('/cookie')
  await visitor.stands('Cookie')
  t.strictSame(visitor.documents, ['/cookie'])
  t.match(await page.context().cookies(), [{ name: 'late', value: '1' }])
})
