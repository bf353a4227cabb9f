/// <reference lib="dom" />

// When a live page has a stream, and what it does when the server cannot be asked, in Chromium.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { scriptOf } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { buildLiveSite, createHold, type LiveSite, serveLiveSite } from './live-site.ts'

const folder = t.testdir({})
const dir = await buildLiveSite(join(folder, 'one'))
const otherBuild = await buildLiveSite(join(folder, 'two'), {
  'pages/plain.tsx': 'export default () => <h1>Another build</h1>\n',
})
const chromium = await launchChromium(t)

/** Opens a page with its stream. */
async function openLive(t: Test, site: LiveSite, path = '/'): Promise<OpenPage> {
  const open = await chromium.open({}, t)
  await visit(open, site, path)
  return open
}

async function visit(open: OpenPage, site: LiveSite, path: string) {
  await open.goto(site.origin + path, 'load')
  await open.hydrated()
  await until(() => site.streams().includes(path))
  await open.evaluate(() => {
    document.documentElement.dataset.mark = 'here'
  }, null)
}

const isSameDocument = ({ evaluate }: OpenPage) =>
  evaluate(() => document.documentElement.dataset.mark === 'here', null)

/** Hides the tab, or shows it again. A page of a browser without windows is always visible. */
const setHidden = ({ evaluate }: OpenPage, isHidden: boolean) =>
  evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

t.test('a refresh that fails leaves the page as it is, is reported once, and succeeds later', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  const { board } = site
  await open.fill('#free', 'typed')
  board.fails = true
  board.loads.length = 0
  await site.add('second')
  await until(() => board.loads.length === 3)
  t.equal(await open.read('h1'), 'Board: first')
  t.equal(await open.count('.hydrant-failure, .hydrant-notice'), 0)
  board.fails = false
  await open.hasText('h1', 'Board: first, second')
  t.equal(open.errors.length, 1, open.errors.join('\n'))
  t.equal(await open.valueOf('#free'), 'typed')
  board.fails = true
  await site.add('third')
  await until(() => open.errors.length === 2)
  board.fails = false
  await open.hasText('h1', 'second, third')
  t.ok(await isSameDocument(open))
})

t.test('a page outlives its server, and refreshes when there is one again', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  await open.fill('#free', 'typed')
  const port = Number(new URL(site.origin).port)
  await site.app.close()
  t.equal(await open.read('h1'), 'Board: first')
  const next = await serveLiveSite(t, dir, { port })
  next.board.texts.push('after')
  await open.hasText('h1', 'Board: first, after')
  await next.add('later')
  await open.hasText('h1', 'after, later')
  t.equal(await open.valueOf('#free'), 'typed')
  t.ok(await isSameDocument(open))
  t.strictSame(open.errors, [])
})

t.test('an error that is not of the page leaves it as it is', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  site.board.refuses = true
  await site.add('second')
  await until(() => site.refreshes.length === 2)
  t.equal(await open.read('h1'), 'Board: first')
  site.board.refuses = false
  await open.hasText('h1', 'first, second')
  t.ok(await isSameDocument(open))
  let count = 0
  const failAtGateway = () =>
    open.page.route(/_hydrant$/, (route) => {
      count++
      return route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' })
    })
  await failAtGateway()
  await setHidden(open, true)
  await until(() => site.streams().length === 0)
  await setHidden(open, false)
  await until(() => count === 2)
  await open.page.unroute(/_hydrant$/)
  await until(() => site.streams().length === 1)
  await failAtGateway()
  await site.add('third')
  await until(() => count >= 4)
  await open.page.unroute(/_hydrant$/)
  await open.hasText('h1', 'second, third')
  t.ok(await isSameDocument(open))
})

t.test('another page has another stream, or none, also after Back and Forward', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  const { board, streams, opened } = site
  const stands = async (title: string, expected: string[]) => {
    await open.hasText('h1', title)
    await until(() => streams().join() === expected.join())
  }
  await open.click('nav a[href="/other"]')
  await stands('Other: first', ['/other'])
  await open.click('nav a[href="/plain"]')
  await stands('Plain: first', [])
  const before = opened()
  board.texts.push('while away')
  await site.app.live.publish('board')
  await open.page.goBack()
  await stands('Other: first, while away', ['/other'])
  await open.page.goBack()
  await stands('Board: first, while away', ['/'])
  await site.add('again')
  await open.hasText('h1', 'away, again')
  await open.page.goForward()
  await stands('Other: first, while away, again', ['/other'])
  t.equal(opened(), before + 3)
  t.ok(await isSameDocument(open))
})

t.test('a live page that a plain one leads to has a stream', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await chromium.open({}, t)
  const scripts: string[] = []
  open.page.on('request', (request) => scripts.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''))
  await open.goto(`${site.origin}/plain`, 'load')
  await open.hydrated()
  await open.hover('nav a[href="/other"]')
  await until(() => site.board.loads.includes('/other'))
  const live = scriptOf(dir, 'client/live.ts')
  t.notOk(scripts.includes(live), 'a plain page does not load the script')
  t.equal(site.opened(), 0)
  await open.click('nav a[href="/"]')
  await until(() => site.streams().join() === '/')
  // The server may know first.
  await until(() => scripts.includes(live))
  await site.add('second')
  await open.hasText('h1', 'first, second')
})

t.test('a navigation goes first, and what it leaves is not refreshed', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site, '/other')
  const { board } = site
  const { held, release } = createHold()
  board.load = held
  board.loads.length = 0
  await open.click('nav a[href="/"]')
  await until(() => board.loads.includes('/'))
  board.texts.push('second')
  await site.app.live.publish('other', 'board')
  release()
  await open.hasText('h1', 'Board: first, second')
  t.notOk(board.loads.includes('/other'))
})

t.test('a hidden tab has no stream, and refreshes once when it is visible', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  const { board } = site
  await setHidden(open, true)
  await until(() => site.streams().length === 0)
  board.loads.length = 0
  for (const text of ['1', '2', '3']) await site.add(text)
  await setHidden(open, false)
  await open.hasText('h1', '1, 2, 3')
  await site.add('4')
  await open.hasText('h1', '3, 4')
  t.strictSame(board.loads, ['/', '/'])
  await setHidden(open, true)
  await until(() => site.streams().length === 0)
  await setHidden(open, false)
  await until(() => site.streams().length === 1)
  await site.add('5')
  await open.hasText('h1', '4, 5')
  t.strictSame(board.loads, ['/', '/', '/'], 'a tab that missed nothing does not refresh')
})

/** Opens a cached page that changes, and hides its tab. */
async function hideCached(t: Test) {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site, '/cached')
  await site.add('second')
  await open.hasText('h1', 'Cached: first, second')
  await setHidden(open, true)
  await until(() => site.streams().length === 0)
  return { site, open }
}

t.test('cached pages are live', async (t) => {
  const { site, open } = await hideCached(t)
  await site.add('third')
  await setHidden(open, false)
  await open.hasText('h1', 'Cached: first, second, third')
})

t.test('a cached page is rendered again if the server cannot know whether it is current', async (t) => {
  const { site, open } = await hideCached(t)
  // So many topics are remembered.
  await site.app.live.publish(...Array.from({ length: 10_001 }, (_, index) => `topic ${index}`))
  site.board.loads.length = 0
  site.refreshes.length = 0
  await setHidden(open, false)
  await until(() => site.board.loads.length > 0)
  await site.add('third')
  await open.hasText('h1', 'Cached: first, second, third')
  t.strictSame(site.board.loads, ['/cached', '/cached'])
  t.strictSame(site.refreshes, ['/cached', '/cached'], 'each time once')
})

t.test('a document of an old build is loaded again when nothing is typed', async (t) => {
  const site = await serveLiveSite(t, dir)
  const idle = await openLive(t, site)
  const typing = await openLive(t, site)
  await typing.fill('#text', 'typed')
  const port = Number(new URL(site.origin).port)
  await site.app.close()
  const next = await serveLiveSite(t, otherBuild, { port })
  next.board.texts.push('of the new build')
  await idle.hasText('h1', 'of the new build')
  t.notOk(await isSameDocument(idle))
  t.ok(await isSameDocument(typing))
  t.equal(await typing.read('h1'), 'Board: first')
  await typing.evaluate(() => document.querySelector<HTMLFormElement>('#form')?.reset(), null)
  await typing.hasText('h1', 'of the new build')
  t.strictSame([...idle.errors, ...typing.errors], [])
})

t.test('a document that is the response to a form is loaded again without the form', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  await open.click('#plain')
  await open.hasText('h1', 'Board: first, plainly sent')
  await open.hydrated()
  t.notOk(await isSameDocument(open))
  await until(() => site.streams().length === 1)
  const port = Number(new URL(site.origin).port)
  await site.app.close()
  const next = await serveLiveSite(t, otherBuild, { port })
  next.board.texts.push('of the new build')
  await open.hasText('h1', 'of the new build')
  t.strictSame(next.board.texts, ['first', 'of the new build'])
})

t.test('all tabs of a visitor who signs out are led to the sign-in, and those who sign in ask once', async (t) => {
  const site = await serveLiveSite(t, dir)
  const first = await chromium.open({}, t)
  await first.goto(`${site.origin}/enter`, 'load')
  await first.hydrated()
  await first.click('#enter')
  await first.hasText('h1', 'Mine')
  await until(() => site.streams().join() === '/mine')
  t.strictSame(site.board.loads, ['/mine'])
  const [second] = await Promise.all([
    first.page.waitForEvent('popup'),
    first.evaluate((url) => void window.open(url), `${site.origin}/mine`),
  ])
  await second.waitForSelector('h1:has-text("Mine")')
  await until(() => site.streams().length === 2)
  await first.click('#leave')
  await first.hasText('h1', 'Enter')
  await second.waitForSelector('h1:has-text("Enter")')
  await until(() => site.streams().length === 0)
  t.equal(new URL(second.url()).pathname, '/enter')
  t.strictSame(site.board.loads, ['/mine', '/mine'])
})

t.test('another visitor at the same page gets a stream of their own, and no second refresh', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await chromium.open({}, t)
  await open.page.context().addCookies([{ name: 'user', value: 'ada', url: site.origin }])
  await visit(open, site, '/mine')
  site.board.loads.length = 0
  site.board.texts.push('of bob')
  await open.click('#switch')
  await open.hasText('h1', 'first, of bob')
  await until(() => site.opened() === 2 && site.streams().length === 1)
  site.board.texts.push('last')
  await site.app.live.publish('user=bob')
  await open.hasText('h1', 'of bob, last')
  t.strictSame(site.board.loads, ['/mine', '/mine'])
})

t.test('events come through a service worker, and under a policy', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await chromium.open({}, t)
  site.board.policy =
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; media-src data:; connect-src 'self'"
  await open.goto(`${site.origin}/plain`, 'load')
  await open.evaluate(() => navigator.serviceWorker.register('/sw.js').then(() => {}), null)
  await open.page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await visit(open, site, '/')
  await site.add('second')
  await open.hasText('h1', 'first, second')
  await open.click('nav a[href="/plain"]')
  await until(() => site.streams().length === 0)
  t.strictSame(open.errors, [])
})

t.test('seven tabs over HTTP/1.1: six hidden ones hold no connection', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  for (let count = 0; count < 6; count++) {
    const [tab] = await Promise.all([
      open.page.waitForEvent('popup'),
      open.evaluate((url) => void window.open(url), site.origin),
    ])
    await until(() => site.opened() === count + 2)
    await tab.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await until(() => site.streams().length === 1)
  }
  await site.add('second')
  await open.hasText('h1', 'first, second')
})
