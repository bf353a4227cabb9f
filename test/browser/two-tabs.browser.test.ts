/// <reference lib="dom" />

// Two tabs of one session: what one tab does, the other learns when it sends a form or navigates.

import type { Page } from 'playwright-core'
import t from 'tap'
import { buildApp } from '../build-app.ts'
import { until } from '../until.ts'
import { isHydrated } from './hydration.ts'
import { startInPlace } from './in-place-site.ts'

const { open, done, origin } = await startInPlace(t, {}, await buildApp(t, 'guards'))

/** Opens two tabs that have entered. */
async function openTabs(path: string): Promise<[Page, Page]> {
  const { page: first } = await open(t, '/enter')
  await first.click('#enter')
  await first.waitForSelector('h1:has-text("Note")')
  const [second] = await Promise.all([
    first.waitForEvent('popup'),
    first.evaluate((url) => void window.open(url), origin + path),
  ])
  await second.waitForSelector('h1')
  await until(() => second.evaluate(isHydrated))
  return [first, second]
}

async function leave(page: Page) {
  await page.click('#to-leave')
  await page.click('#leave')
  await page.waitForSelector('#count:has-text("for nobody")', { state: 'attached' })
}

const read = (page: Page, selector: string) => page.textContent(selector)

t.test('a value that has changed in another tab refuses the form, which keeps its text', async (t) => {
  const [first, second] = await openTabs('/desk/note')
  await first.fill('textarea', 'from the first')
  await first.click('#send')
  await first.waitForSelector('#stored:has-text("from the first")')
  t.equal(await read(second, '#stored'), 'nothing')
  await second.fill('textarea', 'from the second')
  await second.click('#send')
  await second.waitForSelector('#text-error:has-text("Changed meanwhile")')
  await second.waitForSelector('#stored:has-text("from the first")')
  t.equal(await second.inputValue('textarea'), 'from the second')
  await second.click('#send')
  await second.waitForSelector('#stored:has-text("from the second")')
  await first.click('#to-hook')
  await first.waitForSelector('h1:has-text("Hook")')
  await first.click('#to-note')
  await first.waitForSelector('#stored:has-text("from the second")')
  t.same(
    (await done()).map(({ entries }) => entries?.[0]),
    [
      ['text', 'from the first'],
      ['text', 'from the second'],
    ],
    'in this order',
  )
})

t.test('a form that is sent after the session has ended leads to the sign-in, and its text is not lost', async (t) => {
  const [first, second] = await openTabs('/desk/note')
  const desk = Number(await read(second, '#desk'))
  // A part of the layout that only visitors with a session see.
  await second.evaluate(() => document.body.prepend(Object.assign(document.createElement('form'), { id: 'out' })))
  await second.fill('[name=title]', 'a title')
  await second.fill('textarea', 'a long text')
  await second.check('[name=urgent]')
  await second.selectOption('select', 'L')
  await second.fill('[name=pin]', '1234')
  await leave(first)
  await second.click('#send')
  await second.waitForSelector('h1:has-text("Enter")')
  await second.evaluate(() => document.querySelector('#out')?.remove())
  t.equal(second.url(), `${origin}/enter?from=%2Fdesk%2Fnote`)
  t.match(await read(second, '#count'), 'for nobody', 'the layout of the site has been loaded again')
  t.same(await done(), [], 'the action has not run')
  await second.click('#enter')
  await second.waitForSelector('h1:has-text("Note")')
  t.match(await read(second, '#count'), 'for ada')
  t.ok(Number(await read(second, '#desk')) > desk, 'the layout of the folder has been loaded again')
  await second.waitForSelector('#shown:has-text("a title")')
  t.equal(await second.inputValue('textarea'), 'a long text')
  t.equal(await second.isChecked('[name=urgent]'), true)
  t.equal(await second.inputValue('select'), 'L')
  t.equal(await second.inputValue('[name=pin]'), '', 'a password is not kept')
  await second.click('#send')
  await second.waitForSelector('#stored:has-text("a long text")')
  t.match(await done(), [
    {
      entries: [
        ['text', 'a long text'],
        ['title', 'a title'],
      ],
    },
  ])
  await second.click('#to-hook')
  await second.waitForSelector('h1:has-text("Hook")')
  await second.click('#to-note')
  await second.waitForSelector('h1:has-text("Note")')
  t.equal(await second.inputValue('textarea'), '', 'it is filled in once')
})

t.test('the same with useSubmission', async (t) => {
  const [first, second] = await openTabs('/desk/hook')
  await second.fill('textarea', 'a long text')
  await leave(first)
  await second.click('#send')
  await second.waitForSelector('h1:has-text("Enter")')
  t.match(await read(second, '#count'), 'for nobody')
  await second.click('#enter')
  await second.waitForSelector('h1:has-text("Note")')
  await second.click('#to-hook')
  await second.waitForSelector('h1:has-text("Hook")')
  t.equal(await second.inputValue('textarea'), 'a long text')
  t.same(await done(), [])
})

t.test('a form in a layout keeps its text when a guard redirects it', async (t) => {
  const [first, second] = await openTabs('/desk/hook')
  await second.fill('#side [name=text]', 'typed')
  await leave(first)
  await second.click('#send-side')
  await second.waitForSelector('h1:has-text("Enter")')
  await second.waitForSelector('#count:has-text("for nobody")')
  await second.click('#enter')
  await second.waitForSelector('h1:has-text("Note")')
  t.equal(await second.inputValue('#side [name=text]'), 'typed')
  await second.fill('#side [name=text]', 'typed and changed')
  await second.click('#to-hook')
  await second.waitForSelector('h1:has-text("Hook")')
  t.equal(await second.inputValue('#side [name=text]'), 'typed and changed')
  t.same(await done(), [])
})

t.test('a link that is followed after the session has ended leads to the sign-in', async (t) => {
  const [first, second] = await openTabs('/desk/note')
  await leave(first)
  await second.click('#to-hook')
  await second.waitForSelector('h1:has-text("Enter")')
  t.match(await read(second, '#count'), 'for nobody')
  t.equal(await second.locator('#desk').count(), 0)
})
