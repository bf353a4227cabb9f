/// <reference lib="dom" />

import t from 'tap'
import { until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { isInPlace, startInPlace, textOf } from './in-place-site.ts'
import { takesNavigations } from './navigation-site.ts'

const { open, done, origin, letGo } = await startInPlace(t)

const pathOf = ({ page }: OpenPage) => page.url().slice(origin.length)
const entriesOf = ({ evaluate }: OpenPage) => evaluate(() => history.length, null)

async function typed(opened: OpenPage, text: string) {
  await opened.fill('#other', 'elsewhere')
  await opened.fill('#note [name=text]', text)
}

t.test('a form is handled in place', async (t) => {
  const opened = await open(t, '/form')
  await typed(opened, 'a text')
  const before = await entriesOf(opened)
  await opened.focus('#ok')
  const scrolled = await opened.evaluate(() => scrollY, null)
  t.ok(scrolled > 0)
  await opened.page.keyboard.press('Enter')
  await opened.hasText('#data', '{"intent":"ok","text":"a text"}')
  await opened.hasText('#acted', 'a text')
  t.equal(await textOf(opened, '#acted'), '{"intent":"ok","text":"a text"}', 'in a layout too')
  await opened.hasText('#state', 'idle')
  t.same(await done(), [
    {
      path: '/form',
      method: 'POST',
      entries: [
        ['text', 'a text'],
        ['intent', 'ok'],
      ],
    },
  ])
  t.ok(await isInPlace(opened), 'no document was loaded')
  t.equal(await opened.evaluate(() => scrollY, null), scrolled, 'nothing has moved')
  t.equal(await opened.evaluate(() => document.activeElement?.id, null), 'ok', 'the focus stays')
  t.equal(await opened.valueOf('#other'), 'elsewhere', 'what was typed elsewhere stays')
  t.equal(await opened.valueOf('#note [name=text]'), 'initial', 'what was sent is done with')
  t.equal(await textOf(opened, '#count'), '1 done', 'the layout’s load has run behind the action')
  t.equal(await entriesOf(opened), before, 'no new entry in the history')
  t.same(opened.errors, [])
})

t.test('a form that does not validate keeps its text', async (t) => {
  const opened = await open(t, '/form')
  await typed(opened, 'a text')
  await opened.click('#problem')
  await opened.hasText('#data', 'problem')
  t.equal(await opened.valueOf('#note [name=text]'), 'a text')
  t.ok(await isInPlace(opened))
  t.equal((await done()).length, 1)
})

t.test('a redirect is one history entry, and Back goes to the page of the form', async (t) => {
  for (const button of ['#redirect', '#reply-redirect']) {
    const opened = await open(t, '/form')
    await opened.hover('#away')
    const before = await entriesOf(opened)
    await opened.click(button)
    await opened.hasText('h1', 'Target')
    t.equal(pathOf(opened), '/target')
    t.ok(await isInPlace(opened))
    t.equal((await done()).length, 1, 'sent once')
    const count = await textOf(opened, '#count')
    await opened.page.reload()
    await takesNavigations(opened)
    t.equal(await textOf(opened, '#count'), count, 'the layout was up to date')
    t.equal(await entriesOf(opened), before + 1)
    await opened.page.goBack()
    await opened.hasText('h1', 'Form')
    t.equal(pathOf(opened), '/form')
    t.same(await done(), [])
  }
})

t.test('a redirect to a page that redirects again ends there, without an error in the console', async (t) => {
  const opened = await open(t, '/form')
  await opened.click('#moved')
  await opened.hasText('h1', 'Target')
  await opened.hasText('#state', 'idle')
  t.ok(await isInPlace(opened))
  t.equal((await done()).length, 1)
  t.same(opened.errors, [])
})

t.test('a redirect to another site leaves the site', async (t) => {
  const opened = await open(t, '/form')
  await opened.click('#reply-elsewhere')
  await opened.page.waitForURL(/^http:\/\/localhost:\d+\/target$/)
  t.equal((await done()).length, 1)
})

t.test('a redirect to a javascript: URL does nothing, also without a policy', async (t) => {
  const opened = await open(t, '/form', async ({ page }) => {
    await page.route('**/form', async (route) => {
      const response = await route.fetch()
      const { 'content-security-policy': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    await page.route(/\/form\?_hydrant$/, (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const body = '["redirect","javascript:void(globalThis.hasRun=true)"]\n'
      return route.fulfill({
        contentType: 'application/x-ndjson',
        headers: { 'hydrant-acted': '1', 'hydrant-build': 'any' },
        body,
      })
    })
  })
  await opened.click('#ok')
  await opened.hasText('#state', 'idle')
  t.equal(pathOf(opened), '/form')
  // A second URL of the same kind follows the first.
  await opened.evaluate(() => location.assign('javascript:void(globalThis.hasComeLater=true)'), null)
  await until(() => opened.evaluate(() => 'hasComeLater' in globalThis, null))
  t.notOk(await opened.evaluate(() => 'hasRun' in globalThis, null))
})

t.test('a redirect to the page of the form changes nothing but its data', async (t) => {
  const opened = await open(t, '/form')
  await typed(opened, 'a text')
  const before = await entriesOf(opened)
  const count = await textOf(opened, '#count')
  await opened.focus('#same')
  const scrolled = await opened.evaluate(() => scrollY, null)
  await opened.click('#same')
  await opened.hasText('#count', `${Number.parseInt(count ?? '', 10) + 1} done`)
  await opened.hasText('#state', 'idle')
  t.ok(await isInPlace(opened))
  t.equal(await opened.evaluate(() => scrollY, null), scrolled)
  t.equal(await opened.evaluate(() => document.activeElement?.id, null), 'same')
  t.equal(await opened.valueOf('#note [name=text]'), 'initial')
  t.equal(await opened.valueOf('#other'), 'elsewhere')
  t.equal(await entriesOf(opened), before)
  await opened.click('#anchor')
  await opened.page.waitForURL(`${origin}/form#end`)
  t.ok((await opened.evaluate(() => scrollY, null)) > scrolled, 'and with a fragment it goes there')
  t.ok(await isInPlace(opened))
  t.equal((await done()).length, 2)
})

t.test('a form goes to another page’s action', async (t) => {
  const opened = await open(t, '/form')
  await typed(opened, 'over there')
  await opened.click('#elsewhere')
  await opened.hasText('h1', 'Other over there')
  t.equal(pathOf(opened), '/other', 'with its address')
  t.ok(await isInPlace(opened))
  await opened.page.goBack()
  await opened.hasText('h1', 'Form')
  t.same(await done(), [{ path: '/other' }])
})

t.test('handles buttons outside the form, and forms that are sent by GET', async (t) => {
  const opened = await open(t, '/form')
  await opened.click('#outside')
  await opened.hasText('#data', '{"intent":"outside","text":"initial"}')
  t.equal((await done()).length, 1)
  await opened.click('#get')
  await opened.hasText('h1', 'Target ?text=initial')
  await opened.page.goBack()
  await opened.hasText('h1', 'Form')
  await opened.click('#send-get')
  await opened.hasText('h1', 'Target ?q=1+2')
  t.ok(await isInPlace(opened))
  t.same(await done(), [])
  await opened.page.goBack()
  await opened.hasText('h1', 'Form')
  await opened.click('#post')
  await opened.hasText('#data', '{"intent":"ok","text":null}')
  t.ok(await isInPlace(opened), 'the button says how it is sent')
  t.equal((await done()).length, 1)
})

t.test('sends files, and treats files in a form that sends none as without JavaScript', async (t) => {
  const file = { name: 'é.txt', mimeType: 'text/plain', buffer: Buffer.from('content') }
  const more = { ...file, name: 'b.txt' }
  const opened = await open(t, '/form')
  await opened.page.locator('#files [name=file]').setInputFiles([file, more])
  await opened.page.locator('#names [name=file]').setInputFiles(file)
  for (const form of ['files', 'names']) {
    await opened.fill(`#${form} [name=text]`, `${form}\nb`)
    await opened.click(`#send-${form}`)
    await opened.hasText('#data', form)
    await opened.hasText('#state', 'idle')
  }
  const [files, names] = await done()
  t.same(files?.entries, [
    ['text', 'files\r\nb'],
    ['file', 'é.txt: content'],
    ['file', 'b.txt: content'],
  ])
  t.same(names?.entries, [
    ['text', 'names\r\nb'],
    ['file', 'é.txt'],
  ])
  t.ok(await isInPlace(opened))
  await Promise.all([opened.page.waitForEvent('load'), opened.click('#text')])
  t.notOk(await isInPlace(opened), 'what only the browser can write is left to it')
  t.equal((await done()).length, 1)
})

t.test('a double click sends once, and two forms may be sent at the same time', async (t) => {
  const opened = await open(t, '/form')
  await typed(opened, 'slow')
  // Without a chosen file, its value is an empty file with the time at which the form is read.
  const field = '<input type="file" name="none">'
  await opened.evaluate((html) => document.querySelector('#note')?.insertAdjacentHTML('beforeend', html), field)
  await opened.click('#wait', { clickCount: 2 })
  await opened.page.keyboard.press('Enter')
  await opened.hasText('#state', 'submitting slow')
  t.equal(await textOf(opened, '#pending'), 'false', 'a submission of its own is not pending')
  await opened.hasText('.hydrant-progress', '')
  await opened.click('#send-second')
  await opened.hasText('#data', 'second')
  await opened.hasText('#state', 'submitting slow')
  await letGo()
  await opened.hasText('#state', 'idle')
  t.match(await textOf(opened, '#data'), 'second', 'the newer answer stays')
  t.equal(await textOf(opened, '#pending'), 'false')
  t.equal(await textOf(opened, '.hydrant-progress'), null)
  t.equal((await done()).length, 2)
})

t.test('a visitor who navigates while a form is being sent stays on the new page', async (t) => {
  const opened = await open(t, '/form')
  await opened.click('#wait')
  await opened.hasText('#state', 'submitting')
  await opened.click('#away')
  await opened.hasText('h1', 'Target')
  await letGo()
  await opened.hasText('#state', 'idle')
  t.equal(pathOf(opened), '/target')
  t.equal((await done()).length, 1)
})
