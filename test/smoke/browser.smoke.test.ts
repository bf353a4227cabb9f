/// <reference lib="dom" />

// Each part of a page once, in Chromium. The tests of browsers have the rest.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { launchChromium, type OpenPage, type Owner } from '../browser/chromium.ts'
import { buildApp, copyApp } from '../build-app.ts'
import { startCli } from '../scripts/run-cli.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'

const dir = await buildApp(t, 'smoke')
const { app, log } = await serve(t, dir)
const url = await listen(t, app)
const chromium = await launchChromium(t)

async function open(path: string, options = {}, owner: Owner = t): Promise<OpenPage> {
  const page = await chromium.open(options, owner)
  await page.goto(url + path, 'load')
  return page
}

/** Marks the document, to see whether it is still the same. */
const mark = (page: OpenPage) => page.evaluate(() => void Object.assign(window, { isMarked: true }), null)
const isMarked = (page: OpenPage) => page.evaluate(() => 'isMarked' in window, null)

t.test('a page hydrates, with its stylesheet, and without an error', async (t) => {
  const page = await open('/', {}, t)
  await page.hydrated()
  await page.click('#count')
  t.equal(await page.read('#count'), 'count: 1')
  t.equal(
    await page.evaluate(() => getComputedStyle(document.querySelector('h1') ?? document.body).color, null),
    'rgb(1, 2, 3)',
  )
  t.strictSame(page.errors, [])
})

t.test('a link keeps the document and the state of the layout, and Back returns', async (t) => {
  const page = await open('/', {}, t)
  await page.hydrated()
  await mark(page)
  await page.click('#kept')
  await page.click('a[href="/late"]')
  await page.hasText('#late', 'here')
  t.equal(await page.read('h1'), 'Late')
  await page.page.goBack()
  await page.hasText('h1', 'Home')
  t.equal(await page.read('#kept'), 'kept: 1')
  t.ok(await isMarked(page))
})

t.test('deferred data follows its fallback', async (t) => {
  const page = await chromium.open({}, t)
  await page.goto(`${url}/late`, 'commit')
  await page.hasText('#pending', 'pending')
  await page.hasText('#late', 'here')
  t.equal(await page.count('#pending'), 0)
})

t.test('Back restores the position', async (t) => {
  const page = await open('/late', {}, t)
  await page.hydrated()
  await page.hasText('#late', 'here')
  await page.evaluate(() => window.scrollTo(0, 1500), null)
  await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/"]')?.click(), null)
  await page.hasText('h1', 'Home')
  await page.page.goBack()
  await page.hasText('h1', 'Late')
  t.equal(await until(() => page.evaluate(() => window.scrollY, null)), 1500)
})

for (const javaScript of [true, false]) {
  t.test(`a form ${javaScript ? 'in place' : 'without JavaScript'}`, async (t) => {
    const note = `from ${javaScript}`
    const page = await open('/form', { javaScript }, t)
    if (javaScript) {
      await page.hydrated()
      await mark(page)
    }
    await page.click('button[type=submit]')
    await page.hasText('#refused', 'Write a note.')
    await page.fill('input', note)
    await page.click('button[type=submit]')
    await page.hasText('li:last-child', note)
    t.equal(await page.count('#refused'), 0)
    t.equal(await page.valueOf('input'), '')
    if (javaScript) t.ok(await isMarked(page))
  })
}

t.test('a load that fails shows one sentence with the digest of the log', async (t) => {
  const page = await chromium.open({}, t)
  const response = await page.goto(`${url}/failing`, 'load')
  t.equal(response.status(), 500)
  const digest = response.headers()['x-error-digest'] ?? ''
  t.match(digest, /^\w{8}-\w{6}$/)
  const text = await page.read('body')
  t.match(
    text,
    `Application error: a server-side exception has occurred while loading 127.0.0.1 (see the server logs for more information).`,
  )
  t.match(text, digest)
  t.match(
    log.errors().filter((line) => line.digest === digest),
    [{ phase: 'load', err: { message: 'the text of the failure' } }],
  )
})

t.test('a component that fails in the browser shows its sentence, and is in the log with its line', async (t) => {
  const page = await open('/breaking', {}, t)
  await page.hydrated()
  await page.click('#break')
  await page.hasText('body', /Application error: a client-side exception has occurred/)
  const line = await until(() => log.errors().find(({ err }) => err?.message === 'broken by a click'))
  t.match(line, { side: 'client', digest: /^\w{8}-\w{6}$/ })
  t.match(line.err?.stack, 'pages/breaking.tsx:')
})

t.test('a stored page is the same for the second visitor, and hydrates', async (t) => {
  for (const expected of ['miss', 'hit']) {
    const page = await chromium.open({}, t)
    const response = await page.goto(`${url}/stored`, 'load')
    t.equal(response.headers()['hydrant-cache'], expected)
    await page.hydrated()
    t.equal(await page.read('h1'), 'Run 1')
    t.strictSame(page.errors, [])
  }
})

t.test('a guard decides on navigations too', async (t) => {
  const page = await open('/members', {}, t)
  t.equal(await page.read('h1'), 'Home')
  await page.page.context().addCookies([{ name: 'member', value: 'yes', url }])
  await page.goto(`${url}/members`, 'load')
  t.equal(await page.read('h1'), 'Members')
})

t.test('an edit in development changes the page and keeps its state', async (t) => {
  const dir = copyApp(t, 'smoke')
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, address = ''] = await dev.waitFor(/ at (http:\S+)/)
  const page = await chromium.open({}, t)
  await page.goto(address, 'load')
  await page.hydrated()
  await page.click('#count')
  const file = join(dir, 'pages/index.tsx')
  writeFileSync(file, readFileSync(file, 'utf8').replace('Home', 'Changed'))
  await page.hasText('h1', 'Changed')
  t.equal(await page.read('#count'), 'count: 1')
  await dev.stop()
})
