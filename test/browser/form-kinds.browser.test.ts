/// <reference lib="dom" />

// Each kind of form, sent by Playwright's own `click`: forms handled in place send what a browser sends without
// JavaScript, and others are left to the browser.

import t from 'tap'
import { until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { isInPlace, kindsOf, startInPlace } from './in-place-site.ts'

const { open, reopen, openPlain, done, origin } = await startInPlace(t)

async function press({ page }: OpenPage, kind: string) {
  if (kind === 'image') await page.click('#image', { position: { x: 5, y: 7 } })
  else await page.click(`#${kind}`)
}

async function nextDone() {
  let all = await done()
  await until(async () => {
    if (all.length === 0) all = await done()
    return all.length > 0
  })
  return all
}

const plain = await openPlain(t)
const opened = await open(t, '/kinds')

/** Returns the kinds of forms on a page. */
async function listKinds(path: string): Promise<string[]> {
  await plain.goto(origin + path, 'load')
  return await kindsOf(plain)
}
const inPlace = await listKinds('/kinds')
const left = await listKinds('/left')
const notSent = await listKinds('/not-sent')

for (const kind of inPlace) {
  t.test(`handled in place, and sent as without JavaScript: ${kind}`, async (t) => {
    await plain.goto(`${origin}/kinds`, 'load')
    await Promise.all([plain.page.waitForEvent('load'), press(plain, kind)])
    const expected = await nextDone()
    await reopen(opened, '/kinds')
    await press(opened, kind)
    await opened.hasText('#data', 'answered')
    t.ok(await isInPlace(opened))
    t.strictSame(await done(), expected)
    t.equal(expected.length, 1)
    t.equal(opened.page.url(), plain.page.url())
    t.strictSame(opened.errors, [])
  })
}

for (const kind of left) {
  t.test(`left to the browser: ${kind}`, async (t) => {
    await reopen(opened, '/left')
    await Promise.all([opened.page.waitForEvent('load'), press(opened, kind)])
    t.notOk(await isInPlace(opened))
    t.equal((await nextDone()).length, 1, 'sent once')
  })
}

for (const kind of notSent) {
  t.test(`not sent at all: ${kind}`, async (t) => {
    await reopen(opened, '/not-sent')
    // Added after Hydrant's own listener.
    await opened.evaluate(() => {
      addEventListener('submit', (event) => (event.target as Element).matches('.late') && event.preventDefault())
    }, null)
    await press(opened, kind)
    if (kind.startsWith('dialog')) await opened.page.waitForSelector(`dialog:has(#${kind})`, { state: 'hidden' })
    // A request of the form would arrive before this one.
    const asked = opened.page.waitForRequest('**/asked')
    await opened.evaluate(() => void fetch('/asked'), null)
    await asked
    t.ok(await isInPlace(opened))
    t.strictSame(await done(), [])
  })
}

t.test('a form for another tab opens there, by its target and by Ctrl', async (t) => {
  const opened = await open(t, '/kinds')
  const { page } = opened
  const arrives = () => page.context().waitForEvent('page')
  await opened.evaluate(() => document.querySelector('#plain')?.setAttribute('formtarget', '_blank'), null)
  const [blank] = await Promise.all([arrives(), page.click('#plain')])
  await blank.waitForSelector('#data:has-text("answered")')
  const [other] = await Promise.all([arrives(), page.click('#named', { modifiers: ['ControlOrMeta'] })])
  await other.waitForSelector('#data:has-text("answered")')
  t.ok(await isInPlace(opened))
  t.equal(await page.textContent('#data'), 'none')
  t.equal((await done()).length, 2)
  await page.click('#named')
  await opened.hasText('#data', 'answered')
  t.ok(await isInPlace(opened), 'and the next one is answered in place')
  t.equal((await done()).length, 1)
})

t.test('a form for another site goes there', async (t) => {
  const opened = await open(t, '/kinds')
  const elsewhere = `${origin.replace('127.0.0.1', 'localhost')}/target`
  await opened.evaluate((to) => document.querySelector('#plain')?.setAttribute('formaction', to), elsewhere)
  await Promise.all([opened.page.waitForURL(elsewhere), opened.page.click('#plain')])
  t.strictSame(await done(), [])
})

t.test('handles requestSubmit, a click by a script, Enter, and the formdata event', async (t) => {
  const opened = await open(t, '/kinds')
  const { page } = opened
  await page.evaluate(() => {
    addEventListener('formdata', ({ formData }) => formData.append('added', String(formData.get('b'))), true)
  })
  const named = page.locator('form', { has: page.locator('#named') })
  await named.evaluate((form: HTMLFormElement) => form.requestSubmit())
  await opened.hasText('#data', 'answered')
  await page.locator('#named').evaluate((button: HTMLButtonElement) => button.click())
  await opened.hasText('#state', 'idle')
  await until(async () => (await page.textContent('#state')) === 'idle')
  await page.press('form:has(#plain) input', 'Enter')
  await until(async () => (await page.textContent('#state')) === 'idle')
  t.strictSame(
    (await done()).map(({ entries }) => entries),
    [
      [['added', 'null']],
      [
        ['b', '2'],
        ['added', '2'],
      ],
      [
        ['a', 'ä 1+2&'],
        ['added', 'null'],
      ],
    ],
  )
  t.ok(await isInPlace(opened))
})
