/// <reference lib="dom" />

// What a live page shows after gaps: what it takes from the page before, what arrives late or out of date, and what fails, in
// Chromium.

import { join } from 'node:path'
import type { Route as Exchange } from 'playwright-core'
import t, { type Test } from 'tap'
import { EVENTS_TYPE, REFRESH_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { marked, navigationHeaders } from '../server/lines.ts'
import { HTML, scriptOf } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { buildLiveSite, createHold, type LiveSite, serveLiveSite } from './live-site.ts'

const LINKS = ['a', 'b', 'fixed'].map((name) => `<a href="/desk/${name}">${name}</a>`).join('')
const desk = (name: string) => `export default () => <h1>${name}</h1>\n`

const STATE = `
import { useLive } from 'hydrant/react'
export default () => {
  const state = useLive()
  if (typeof document !== 'undefined') document.documentElement.dataset.states += ' ' + state
  return <p id="state">{state}</p>
}
`

const folder = t.testdir({})
const dir = await buildLiveSite(join(folder, 'one'), {
  'pages/desk/layout.tsx': `
export default ({ data, children }) => <><h2>Desk: {data.join(', ')}</h2>${LINKS}{children}</>
`,
  'pages/desk/layout.server.ts': `
export const live = () => ['board']
export const load = () => globalThis.board?.texts ?? []
`,
  'pages/other.tsx': STATE,
  'pages/plain.tsx': STATE,
  'pages/desk/a.tsx': desk('A'),
  'pages/desk/b.tsx': desk('B'),
  'pages/desk/fixed.tsx': `export const prerender = true\n${desk('Fixed')}`,
})
const otherBuild = await buildLiveSite(join(folder, 'two'), { 'pages/plain.tsx': desk('Another build') })
const chromium = await launchChromium(t)

const MINUTE_MS = 60_000

/** Opens a page whose timers the test can advance. */
async function openLive(t: Test, site: LiveSite, path = '/'): Promise<OpenPage> {
  const open = await chromium.open({}, t)
  await open.page.clock.install()
  await open.goto(site.origin + path, 'load')
  await open.hydrated()
  await until(() => site.streams().includes(path))
  return open
}

const isStream = (exchange: Exchange) => exchange.request().headers().accept === EVENTS_TYPE

/** Hides the tab, or shows it again. A page of a browser without windows is always visible. */
const setHidden = ({ evaluate }: OpenPage, isHidden: boolean) =>
  evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

t.test('a layout that stays shows what was published before its next page was requested', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site, '/desk/a')
  await open.click('a[href="/desk/b"]')
  await open.hasText('h1', 'B')
  await until(() => site.streams().join() === '/desk/b')
  await open.click('a[href="/desk/a"]')
  await open.hasText('h1', 'A')
  await until(() => site.streams().join() === '/desk/a')
  t.strictSame(site.refreshes, [], 'without news there is no refresh')

  const { held, release } = createHold()
  await open.page.route('**/desk/b?*', async (exchange) => {
    if (!isStream(exchange)) await held
    await exchange.continue()
  })
  const asked = open.page.waitForRequest('**/desk/b?*')
  await open.click('a[href="/desk/b"]')
  await asked
  await site.add('second')
  release()
  await open.hasText('h1', 'B')
  await open.hasText('h2', 'Desk: first, second')
  t.strictSame(site.refreshes, ['/desk/b'])
})

t.test('a layout that stays shows what was published while there was no stream', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site, '/desk/a')
  await open.page.route('**/desk/a?*', (exchange) => exchange.abort())
  await setHidden(open, true)
  await until(() => site.streams().length === 0)
  await setHidden(open, false)
  await site.add('second')
  await open.click('a[href="/desk/b"]')
  await open.hasText('h1', 'B')
  await open.hasText('h2', 'Desk: first, second')
})

t.test('a live page refreshes what it takes from a page that the build has rendered', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await chromium.open({}, t)
  await open.goto(`${site.origin}/desk/fixed`, 'load')
  await open.hydrated()
  t.equal(await open.read('h2'), 'Desk:')
  await open.click('a[href="/desk/a"]')
  await open.hasText('h1', 'A')
  await open.hasText('h2', 'Desk: first')
  t.strictSame(site.refreshes, ['/desk/a'])
})

t.test('a page that is answered with an older one asks again, also after the stream has ended', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  const headers = { ...HTML, ...navigationHeaders(dir), host: new URL(site.origin).host }
  const older = await site.app.inject({ url: marked('/'), headers })
  let count = 0
  await open.page.route('**/?_hydrant', async (exchange) => {
    if (exchange.request().headers()[REFRESH_HEADER] === undefined) return exchange.continue()
    if (count++ > 1) return exchange.continue()
    const kept = ['content-type', 'hydrant-build'].map((name) => [name, String(older.headers[name])])
    return exchange.fulfill({ status: 200, headers: Object.fromEntries(kept), body: older.body })
  })
  await site.add('second')
  await open.hasText('h1', 'first, second')
  t.equal(count, 3)
  t.strictSame(site.refreshes, ['/'])
  t.strictSame(open.errors, [])
})

t.test('what is published, and a tab that is shown again, ends a long pause after failed refreshes', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  const { board } = site
  async function failOften() {
    board.fails = true
    board.loads.length = 0
    await site.add('more')
    for (let count = 1; count <= 9; count++) {
      await until(async () => {
        await open.page.clock.fastForward(5 * MINUTE_MS)
        return board.loads.length >= count
      })
    }
    // The pause has begun when the page has read the response.
    await open.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)), null)
    await until(() => site.streams().length === 1)
    board.fails = false
  }
  await failOften()
  await site.add('published')
  await open.hasText('h1', 'published')
  await failOften()
  board.texts.push('shown')
  await setHidden(open, true)
  await setHidden(open, false)
  await open.hasText('h1', 'shown')
})

t.test('a visitor who stays when the document is loaded again is asked again later', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  let asked = 0
  open.page.on('dialog', (dialog) => void (asked++ === 0 ? dialog.dismiss() : dialog.accept()))
  await open.click('#count')
  await open.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()), null)
  await site.app.close()
  const next = await serveLiveSite(t, otherBuild, { port: Number(new URL(site.origin).port) })
  next.board.texts.push('of the new build')
  await until(() => asked === 1)
  t.equal(await open.read('h1'), 'Board: first')
  await open.page.clock.fastForward(6 * MINUTE_MS)
  await open.hasText('h1', 'of the new build')
  t.equal(asked, 2)
})

t.test('a hidden tab does not load its document again', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  await open.fill('#text', 'typed')
  await site.app.close()
  const next = await serveLiveSite(t, otherBuild, { port: Number(new URL(site.origin).port) })
  next.board.texts.push('of the new build')
  await until(() => next.opened() > 0)
  await setHidden(open, true)
  await open.evaluate(() => document.querySelector<HTMLFormElement>('#form')?.reset(), null)
  for (let count = 0; count < 5; count++) await open.page.clock.fastForward(MINUTE_MS)
  t.equal(await open.read('h1'), 'Board: first')
  await setHidden(open, false)
  await open.hasText('h1', 'of the new build')
})

t.test('the end of a stream is no outage, and a server that is away is one', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await chromium.open({}, t)
  let count = 0
  await open.page.route(/\/other\?_hydrant$/, (exchange) =>
    isStream(exchange) && count++ === 0
      ? exchange.fulfill({ status: 200, contentType: EVENTS_TYPE, body: 'retry: 2000\n\n' })
      : exchange.continue(),
  )
  await open.goto(`${site.origin}/other`, 'load')
  await open.hydrated()
  await until(() => site.streams().length === 1)
  const states = () => open.evaluate(() => String(document.documentElement.dataset.states), null)
  await until(async () => (await states()).endsWith(' connected'))
  t.notMatch(await states(), 'lost')
  await site.app.close()
  await open.hasText('#state', 'lost')
})

t.test('a connection that is silent for too long is replaced', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await openLive(t, site)
  await open.page.clock.fastForward(50_000)
  await site.add('second')
  await open.hasText('h1', 'second')
  await open.page.clock.fastForward(50_000)
  t.equal(site.opened(), 1)
  await open.page.clock.fastForward(2 * MINUTE_MS)
  await until(() => site.opened() === 2 && site.streams().length === 1)
})

t.test('a plain page says nothing of a script of live pages that cannot be loaded', async (t) => {
  const site = await serveLiveSite(t, dir)
  const open = await chromium.open({}, t)
  await open.page.route(`**/${scriptOf(dir, 'client/live.ts')}`, (exchange) => exchange.abort())
  await open.goto(`${site.origin}/other`, 'load')
  await open.hydrated()
  await open.hasText('#state', 'lost')
  await open.click('nav a[href="/plain"]')
  await open.hasText('#state', 'off')
})
