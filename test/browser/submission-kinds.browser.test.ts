/// <reference lib="dom" />

import t from 'tap'
import { until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { isInPlace, startInPlace, textOf } from './in-place-site.ts'

// Bodies and files of more than a megabyte are refused.
const { open, done, origin } = await startInPlace(t, {
  HYDRANT_BODY_LIMIT: '1000000',
  HYDRANT_FORMS_MAX_FILE_BYTES: '1000000',
})

const pathOf = ({ page }: OpenPage) => page.url().slice(origin.length)

t.test('a form is taken over at its submit event, whatever has caused it', async (t) => {
  const opened = await open(t, '/ways')
  const ways: [string, () => Promise<unknown>][] = [
    ['a click', () => opened.click('#send')],
    ['Enter', () => opened.press('#form [name=text]', 'Enter')],
    ['element.click()', () => opened.evaluate(() => document.querySelector<HTMLElement>('#send')?.click(), null)],
    [
      'a dispatched click',
      () =>
        opened.evaluate(() => {
          const click = new MouseEvent('click', { bubbles: true, cancelable: true })
          return document.querySelector('#send')?.dispatchEvent(click)
        }, null),
    ],
    [
      'requestSubmit()',
      () => opened.evaluate(() => document.querySelector<HTMLFormElement>('#form')?.requestSubmit(), null),
    ],
    ['a button outside', () => opened.click('#outside')],
  ]
  for (const [way, act] of ways) {
    await opened.fill('#form [name=text]', way)
    await act()
    await opened.hasText('#data', way)
    t.same(await done(), [{ path: '/other' }], way)
    t.equal(pathOf(opened), '/ways', way)
  }
  t.ok(await isInPlace(opened))
  t.same(opened.errors, [])
})

t.test('the plain form of a page too', async (t) => {
  const opened = await open(t, '/form')
  for (const [text, act] of [
    ['clicked', () => document.querySelector<HTMLElement>('#ok')?.click()],
    ['requested', () => document.querySelector<HTMLFormElement>('#note')?.requestSubmit()],
  ] as const) {
    await opened.fill('#note [name=text]', text)
    await opened.evaluate(act, null)
    await opened.hasText('#data', text)
    t.equal((await done()).length, 1)
  }
  t.ok(await isInPlace(opened))
})

t.test('a button with another target is a navigation', async (t) => {
  const opened = await open(t, '/ways')
  await opened.click('#elsewhere')
  await opened.hasText('h1', 'Form')
  t.equal(pathOf(opened), '/form')
  t.ok(await isInPlace(opened))
  t.match(await done(), [{ path: '/form', method: 'POST' }])
})

t.test('works in a dialog, whose own forms only close it', async (t) => {
  const opened = await open(t, '/ways')
  await opened.click('#show')
  await opened.click('#dialog-send')
  await opened.hasText('#data', 'in a dialog')
  t.equal(await opened.count('#dialog[open]'), 1)
  t.equal((await done()).length, 1)
  await opened.click('#dialog-close')
  t.equal(await opened.count('#dialog[open]'), 0)
  t.same(await done(), [])
  t.ok(await isInPlace(opened))
})

t.test('a handler of the site may call that of the form', async (t) => {
  const opened = await open(t, '/ways')
  await opened.click('#handled-send')
  await opened.hasText('#data', 'handled')
  t.equal(await opened.evaluate(() => document.querySelector<HTMLElement>('#handled')?.dataset.seen, null), 'seen')
  t.equal(pathOf(opened), '/ways')
  await done()
})

const file = (size: number) => ({ name: 'a.bin', mimeType: 'text/plain', buffer: Buffer.alloc(size, 'a') })

t.test('an upload has a progress from 0 to 1', async (t) => {
  const opened = await open(t, '/upload')
  await opened.page.setInputFiles('#form [name=file]', file(900_000))
  await opened.click('#send')
  await opened.hasText('#data', 'a.bin 900000')
  const seen = JSON.parse((await textOf(opened, '#seen')) ?? '') as number[]
  t.equal(seen[0], 0)
  t.equal(seen.at(-1), 1)
  t.same(
    seen,
    [...seen].sort((a, b) => a - b),
  )
  t.equal(await textOf(opened, '#error'), 'none')
  t.equal((await done()).length, 1)
  t.ok(await isInPlace(opened))
})

t.test('an upload can be aborted', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const opened = await open(t, '/upload', ({ page }) =>
    page.route(/\/upload\?_hydrant$/, async (route) => {
      await held
      await route.abort()
    }),
  )
  await opened.page.setInputFiles('#form [name=file]', file(1000))
  await opened.click('#send')
  await opened.hasText('#pending', 'true')
  await opened.click('#abort')
  await opened.hasText('#pending', 'false')
  release()
  t.equal(await textOf(opened, '#error'), 'none')
  t.equal(await textOf(opened, '#data'), 'none')
  t.same(await done(), [])
  t.same(opened.errors, [])
})

t.test('a body that is too large is refused in its form, which keeps what was typed', async (t) => {
  const opened = await open(t, '/upload')
  const { page } = opened
  await opened.fill('#form [name=text]', 'typed')
  await page.setInputFiles('#form [name=file]', file(1_200_000))
  await opened.click('#send')
  await opened.hasText('#error', 'larger than 1000000 bytes')
  t.equal(await opened.valueOf('#form [name=text]'), 'typed')
  await opened.fill('#plain [name=text]', 'typed too')
  await page.setInputFiles('#plain [name=file]', file(1_200_000))
  await opened.click('#plain-send')
  await opened.hasText('[role=alert]', '413')
  t.equal(await opened.evaluate(() => document.querySelector('[role=alert]')?.nextElementSibling?.id, null), 'plain')
  t.equal(await opened.valueOf('#plain [name=text]'), 'typed too')
  await opened.fill('#texts [name=text]', 'x'.repeat(1_200_000))
  await opened.click('#texts-send')
  await until(async () => (await opened.count('[role=alert]')) > 1)
  t.equal((await opened.valueOf('#texts [name=text]'))?.length, 1_200_000)
  t.equal(pathOf(opened), '/upload')
  t.ok(await isInPlace(opened))
  t.same(await done(), [])
  await opened.fill('#texts [name=text]', 'short')
  await opened.click('#texts-send')
  await until(async () => (await done()).length === 1)
  await opened.hasText('#state', 'idle')
  t.equal(await opened.count('[role=alert]'), 0, 'nothing is left of it')
})

t.test('a page that was prefetched before an action is not shown after it', async (t) => {
  const opened = await open(t, '/list')
  const count = Number.parseInt((await textOf(opened, '#count')) ?? '', 10)
  const prefetched = opened.page.waitForResponse(/\/target\?_hydrant$/)
  await opened.hover('#away')
  await prefetched
  // The pointer stays on the link.
  await opened.focus('#row-a .send')
  await opened.page.keyboard.press('Enter')
  await opened.hasText('#row-a .data', 'initial')
  const asked = opened.page.waitForRequest(/\/target\?_hydrant$/)
  await opened.focus('#away')
  await opened.page.keyboard.press('Enter')
  await asked
  await opened.hasText('h1', 'Target')
  t.equal(await textOf(opened, '#count'), `${count + 1} done`)
  await done()
})

t.test('after a redirect all layouts are loaded again', async (t) => {
  const opened = await open(t, '/form')
  const count = Number.parseInt((await textOf(opened, '#count')) ?? '', 10)
  // Another tab changes what the layout shows.
  await fetch(`${origin}/api`, { method: 'POST', body: new URLSearchParams('a=b') })
  await opened.evaluate(() => {
    const link = document.createElement('a')
    link.href = '/moved'
    link.id = 'to-moved'
    link.textContent = 'moved'
    document.querySelector('h1')?.after(link)
  }, null)
  await opened.click('#to-moved')
  await opened.hasText('h1', 'Target')
  t.equal(await textOf(opened, '#count'), `${count + 1} done`)
  t.ok(await isInPlace(opened))
})
