/// <reference lib="dom" />

// The search of the documentation on the project's site, with the keyboard.

import t from 'tap'
import { startSite } from '../site-server.ts'
import { launchChromium } from './chromium.ts'
import { takesNavigations } from './navigation-site.ts'

const site = await startSite(t)
const chromium = await launchChromium(t)
const origin = `http://127.0.0.1:${site.port}`

const FIRST = '#results ~ ol a'

t.test('with JavaScript, the results replace the page in place, and the keyboard reaches them', async (t) => {
  const { page, errors, hydrated, goto } = await chromium.open({}, t)
  await goto(`${origin}/docs/guide/loads`, 'load')
  await hydrated()
  await takesNavigations(page)
  let documents = 0
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents++
  })

  await page.keyboard.press('Control+k')
  await page.keyboard.type('useSubmission')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Results for “useSubmission”' }).waitFor()
  t.equal(new URL(page.url()).search, '?q=useSubmission')
  t.equal(new URL(page.url()).hash, '#results')
  t.match(await page.getByRole('status').innerText(), /^The words are in (?:more than )?\d+ sections/)
  t.match(await page.locator('mark').first().innerText(), /usesubmission/i)
  // The browser leads the focus to the results when it has scrolled to them.
  await page.waitForFunction((first) => {
    const heading = document.querySelector('#results')
    return heading !== null && document.querySelector(first) !== null && document.activeElement === heading
  }, FIRST)
  await page.keyboard.press('Tab')
  t.equal(await page.evaluate((first) => document.activeElement === document.querySelector(first), FIRST), true)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Submissions', exact: true }).waitFor()

  await page.goBack()
  await page.getByRole('heading', { name: 'Results for “useSubmission”' }).waitFor()
  t.equal(await page.getByRole('searchbox').inputValue(), 'useSubmission', 'Back shows the query again')
  await page.getByRole('searchbox').fill('xyzzy')
  await page.keyboard.press('Enter')
  await page.getByText('No document contains any of these words.').waitFor()
  t.equal(documents, 0, 'in one document')
  t.same(errors, [])
})

t.test('the results follow what the visitor types, and Back leads to the page before the search', async (t) => {
  const { page, errors, hydrated, goto } = await chromium.open({}, t)
  await goto(`${origin}/docs/guide/loads`, 'load')
  await hydrated()
  await takesNavigations(page)
  const field = page.getByRole('searchbox')
  await field.focus()
  await page.keyboard.type('cook')
  await page.getByRole('heading', { name: 'Results for “cook”' }).waitFor()
  await page.keyboard.type('ie')
  await page.getByRole('heading', { name: 'Results for “cookie”' }).waitFor()
  t.equal(await field.inputValue(), 'cookie')
  t.equal(await field.evaluate((element) => element === document.activeElement), true, 'the focus stays in the field')
  t.match(await page.getByRole('status').innerText(), /^The words are in (?:more than )?\d+ sections/)

  // The status says what a screen reader hears: it stays, and its text changes.
  await page.getByRole('status').evaluate((element) => element.setAttribute('data-seen', ''))
  await page.keyboard.type(' xyzzy')
  await page.getByText(/^No section contains all of these words/).waitFor()
  t.equal(await page.locator('[role=status][data-seen]').count(), 1)

  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'results')
  t.equal(new URL(page.url()).hash, '#results', 'Enter leads to the results')
  await page.goBack()
  await page.goBack()
  await page.getByRole('heading', { name: 'Loads', exact: true, level: 1 }).waitFor()
  t.equal(new URL(page.url()).pathname, '/docs/guide/loads')
  t.equal(await field.inputValue(), '')
  t.same(errors, [])
})

t.test('without JavaScript, the form loads a document with the same results', async (t) => {
  const { page, goto } = await chromium.open({ javaScript: false }, t)
  await goto(`${origin}/docs`, 'load')
  await page.getByRole('searchbox', { name: 'Search the documentation' }).fill('session cookie')
  await Promise.all([page.waitForURL('**/docs/search?q=session+cookie#results'), page.keyboard.press('Enter')])
  await page.getByRole('heading', { name: 'Results for “session cookie”' }).waitFor()
  t.ok((await page.locator(FIRST).count()) > 3)
  t.equal(await page.getByRole('searchbox').inputValue(), 'session cookie')
})
