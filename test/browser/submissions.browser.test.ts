/// <reference lib="dom" />

import t from 'tap'
import { ERROR } from '../site-server.ts'
import { until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { isInPlace, textOf } from './in-place-site.ts'
import { startSubmissions } from './submissions-site.ts'

const { open, openPlain, done, openGate, origin, set, site } = await startSubmissions(t)

const pathOf = ({ page }: OpenPage) => page.url().slice(origin.length)
const inRow = (row: string, part: string) => `#row-${row} .${part}`

/** Sends the form of a row, and resolves when its action runs. */
async function send({ click, fill }: OpenPage, row: string, text: string) {
  await fill(`#row-${row} [name=text]`, text)
  await click(inRow(row, 'send'))
  await until(async () => (await done()).length > 0)
}

t.test('the result of an action is on the screen at once, and what was there stays until the fresh data', async (t) => {
  const opened = await open(t, '/list')
  // The streamed part is in the document before it is in its place.
  await until(async () => (await textOf(opened, '#reviews'))?.startsWith('reviews'))
  const reviews = await textOf(opened, '#reviews')
  const loads = await textOf(opened, '#loads')
  await set({ reviews: 'slow' })
  await opened.fill('#own [name=text]', 'first')
  await opened.click('#own-send')
  await opened.hasText('#own-data', 'first')
  await opened.hasText('#state', 'idle')
  t.equal(await textOf(opened, '#reviews'), reviews)
  t.equal(await textOf(opened, '#loads'), loads)
  await opened.fill('#own [name=text]', 'second')
  await opened.click('#own-send')
  await opened.hasText('#own-data', 'second')
  t.equal(await textOf(opened, '#reviews'), reviews, 'also while React waits for fresh data')
  await send(opened, 'a', 'liked')
  await opened.hasText(inRow('a', 'data'), 'liked')
  t.equal(await textOf(opened, '#reviews'), reviews)
  await set({ reviews: 'fast' })
  await openGate('reviews')
  await until(async () => (await textOf(opened, '#reviews')) !== reviews)
  t.not(await textOf(opened, '#loads'), loads, 'the fresh data follows')
  t.equal(await textOf(opened, '#own-data'), 'second')
  t.equal(await textOf(opened, inRow('a', 'data')), 'liked', 'no state is lost')
  t.ok(await isInPlace(opened))
  t.same(opened.errors, [])
})

t.test('each has its own state, and several run at the same time', async (t) => {
  await done()
  const opened = await open(t, '/list')
  const loads = await textOf(opened, '#loads')
  const count = Number.parseInt((await textOf(opened, '#count')) ?? '', 10)
  await send(opened, 'a', 'wait-a')
  await send(opened, 'b', 'wait-b')
  for (const row of ['a', 'b']) {
    t.equal(await textOf(opened, inRow(row, 'pending')), 'true')
    t.equal(await textOf(opened, inRow(row, 'sent')), `wait-${row}`)
    t.equal(await textOf(opened, inRow(row, 'status')), 'true', 'useFormStatus')
  }
  t.equal(await textOf(opened, inRow('c', 'pending')), 'false')
  t.equal(await textOf(opened, inRow('c', 'status')), 'false')
  t.equal(await textOf(opened, '#state'), 'idle', 'nothing navigates')
  await openGate('wait-b')
  await opened.hasText(inRow('b', 'data'), 'wait-b')
  await opened.hasText(inRow('b', 'pending'), 'false')
  await opened.hasText(inRow('b', 'sent'), 'none')
  await opened.hasText('#count', `${count + 2} done`)
  t.equal(await textOf(opened, inRow('a', 'pending')), 'true')
  t.equal(await textOf(opened, inRow('a', 'data')), 'none')
  await openGate('wait-a')
  await opened.hasText(inRow('a', 'data'), 'wait-a')
  await opened.hasText(inRow('a', 'status'), 'false')
  await opened.hasText(inRow('b', 'status'), 'false')
  t.equal(await textOf(opened, inRow('b', 'data')), 'wait-b')
  await until(async () => (await textOf(opened, '#loads')) !== loads)
  t.equal(pathOf(opened), '/list')
  await opened.click(inRow('a', 'reset'))
  await opened.hasText(inRow('a', 'data'), 'none')
  t.equal(await textOf(opened, inRow('b', 'data')), 'wait-b')
  t.same(opened.errors, [])
})

t.test('an older response never replaces a newer one', async (t) => {
  const opened = await open(t, '/list')
  await send(opened, 'a', 'wait-older')
  await send(opened, 'a', 'wait-newer')
  await openGate('wait-newer')
  await opened.hasText(inRow('a', 'data'), 'wait-newer')
  await opened.hasText(inRow('a', 'pending'), 'false')
  const loads = await textOf(opened, '#loads')
  await openGate('wait-older')
  await until(async () => (await textOf(opened, '#loads')) !== loads)
  t.equal(await textOf(opened, inRow('a', 'data')), 'wait-newer')
})

t.test('a double click sends once', async (t) => {
  await done()
  const opened = await open(t, '/list')
  await opened.fill('#row-a [name=text]', 'wait-double')
  await opened.click(inRow('a', 'send'), { clickCount: 2 })
  await openGate('wait-double')
  await opened.hasText(inRow('a', 'data'), 'wait-double')
  t.equal((await done()).length, 1)
})

t.test('a failure and a refusal stay in their submission', async (t) => {
  const opened = await open(t, '/list')
  await opened.fill('#own [name=text]', 'typed')
  await send(opened, 'failing', 'x')
  await opened.hasText(inRow('failing', 'error'), 'digest')
  const line = await site.waitForLine(({ level, url }) => level >= ERROR && url === '/items/failing')
  const { digest, message, status } = JSON.parse((await textOf(opened, inRow('failing', 'error'))) ?? '')
  t.equal(digest, line.digest)
  t.equal(status, 500)
  t.match(message, /^Application error: a server-side exception has occurred while loading 127\.0\.0\.1/)
  await send(opened, 'refused', 'x')
  await opened.hasText(inRow('refused', 'error'), '{"message":"Already liked","status":409}')
  t.equal(await opened.valueOf('#own [name=text]'), 'typed')
  t.equal(await opened.count('[role=alert]'), 0)
  t.equal(pathOf(opened), '/list')
  await opened.click(inRow('refused', 'reset'))
  await opened.hasText(inRow('refused', 'error'), 'none')
  t.same(opened.errors, [])
})

t.test('an action that redirects leads to the new page', async (t) => {
  const opened = await open(t, '/list')
  await send(opened, 'moved', 'x')
  await opened.hasText('h1', 'Target')
  t.equal(pathOf(opened), '/target')
  t.ok(await isInPlace(opened))
  await opened.page.goBack()
  await opened.hasText('h1', 'List')
})

t.test('a component that is gone gets nothing, and the page is up to date', async (t) => {
  const opened = await open(t, '/list')
  const loads = await textOf(opened, '#loads')
  await send(opened, 'c', 'wait-c')
  await opened.click('#close')
  await until(async () => (await opened.count('#row-c')) === 0)
  await openGate('wait-c')
  await until(async () => (await textOf(opened, '#loads')) !== loads)
  t.ok(await isInPlace(opened))
  t.same(opened.errors, [])
})

t.test('a page that the visitor has gone to meanwhile is up to date too', async (t) => {
  const opened = await open(t, '/list')
  const count = Number.parseInt((await textOf(opened, '#count')) ?? '', 10)
  await send(opened, 'moved', 'wait-gone')
  await opened.click('#away')
  await opened.hasText('h1', 'Target')
  await openGate('wait-gone')
  await opened.hasText('#count', `${count + 1} done`)
  t.equal(pathOf(opened), '/target')
  t.ok(await isInPlace(opened))
})

t.test('abort() stops waiting, and what is sent next is unaffected', async (t) => {
  const opened = await open(t, '/list')
  await send(opened, 'a', 'wait-aborted')
  await opened.click(inRow('a', 'abort'))
  await opened.hasText(inRow('a', 'pending'), 'false')
  await opened.hasText(inRow('a', 'status'), 'false')
  t.equal(await textOf(opened, inRow('a', 'error')), 'none')
  await openGate('wait-aborted')
  await send(opened, 'a', 'again')
  await opened.hasText(inRow('a', 'data'), 'again')
})

t.test('useOptimistic keeps its state until the page has the fresh data', async (t) => {
  const opened = await open(t, '/list')
  await opened.evaluate(() => {
    const texts = document.querySelector('#texts')
    const seen = [texts?.textContent]
    Object.assign(globalThis, { seen })
    if (texts)
      new MutationObserver(() => seen.push(texts.textContent)).observe(texts, {
        subtree: true,
        characterData: true,
        childList: true,
      })
  }, null)
  await opened.fill('#chat [name=text]', 'wait-hello')
  await opened.press('#chat [name=text]', 'Enter')
  await opened.hasText('#texts', 'wait-hello…')
  await openGate('wait-hello')
  await until(async () => (await textOf(opened, '#texts')) === 'wait-hello')
  const seen = await opened.evaluate(() => Reflect.get(globalThis, 'seen') as string[], null)
  t.same(seen, ['', 'wait-hello…', 'wait-hello'], 'without a moment in between')
})

t.test('revalidate = false runs no loads', async (t) => {
  const opened = await open(t, '/quiet')
  const loads = await textOf(opened, '#loads')
  await opened.click('#plain-send')
  await opened.hasText('#action-data', 'action 1')
  await opened.fill('#plain [name=text]', 'x')
  await opened.click('#hook-send')
  await opened.hasText('#data', 'action 2')
  await opened.click('#plain-send')
  await opened.hasText('#action-data', 'action 3')
  await until(async () => (await opened.valueOf('#plain [name=text]')) === 'initial')
  t.equal(await textOf(opened, '#loads'), loads)
  t.equal(await textOf(opened, '#data'), 'action 2')
  await opened.hasText('#state', 'idle')
})

t.test('refresh() runs the loads again, in place', async (t) => {
  const opened = await open(t, '/list')
  const { page } = opened
  await opened.fill('#own [name=text]', 'typed')
  const loads = Number(await textOf(opened, '#loads'))
  await opened.click('#refresh')
  await opened.hasText('#refreshed', `yes ${loads + 1}`)
  await opened.click('#refresh-transition')
  await opened.hasText('#refreshed', 'transition')
  await opened.hasText('#loads', String(loads + 2))
  await set({ load: 'failure' })
  await opened.click('#refresh')
  await opened.hasText('#refreshed', 'rejected Server failure')
  t.equal(await textOf(opened, 'h1'), 'List')
  t.equal(await opened.valueOf('#own [name=text]'), 'typed')
  await set({ load: 'redirect' })
  await opened.click('#refresh')
  await opened.hasText('h1', 'Target')
  t.ok(await isInPlace(opened))
  await set({ load: 'data' })
  await page.goBack()
  await opened.hasText('h1', 'List')
  await set({ load: 'refusal' })
  await opened.click('#refresh')
  await opened.hasText('[role=alert]', '410 Gone')
  await set({ load: 'data' })
})

t.test('a form that is not accepted keeps its text, and its first field with a message gets the focus', async (t) => {
  const opened = await open(t, '/renames')
  const focused = () => opened.evaluate(() => document.activeElement?.id, null)
  await opened.click('#send')
  await opened.hasText('#issues', 'Is taken')
  await until(async () => (await focused()) === 'text')
  await opened.hasText('[aria-live]', 'The form was not sent. Choose another name.')
  t.equal(await opened.valueOf('#text'), 'typed')
  await opened.fill('#text', 'other')
  await opened.focus('#first')
  await opened.click('#send')
  await opened.hasText('#data', 'other')
  t.equal(await textOf(opened, '[aria-live]'), '', 'screen readers no longer find the message')
  t.equal(await textOf(opened, '#issues'), '')
  t.not(await focused(), 'text')
})

t.test('without JavaScript the form is an ordinary form', async (t) => {
  await done()
  const plain = await openPlain(t)
  await plain.goto(`${origin}/list`, 'load')
  await plain.fill('#row-a [name=text]', 'plain')
  await plain.click(inRow('a', 'send'))
  await plain.page.waitForURL(`${origin}/items/a`)
  await until(async () => (await plain.read('h1')) === 'Item a plain')
  t.same(await done(), [{ path: '/items/a', text: 'plain' }])
})
