/// <reference lib="dom" />

import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../build-app.ts'
import { buildForBrowser } from '../server/served.ts'
import type { OpenPage } from './chromium.ts'
import { isInPlace, startInPlace, textOf } from './in-place-site.ts'

const { open, done, origin } = await startInPlace(t, {}, await buildApp(t, 'guards'))

const pathOf = ({ page }: OpenPage) => page.url().slice(origin.length)
const setUser = ({ evaluate }: OpenPage, cookie: string) =>
  evaluate((text) => {
    // biome-ignore lint/suspicious/noDocumentCookie: every browser has it
    document.cookie = text
  }, cookie)
const NOBODY = 'user=; Path=/; Max-Age=0'

t.test('a guard sends the visitor to the sign-in, which leads to the wanted page', async (t) => {
  const opened = await open(t, '/start')
  await opened.click('#first')
  await opened.hasText('h1', 'Enter')
  t.equal(pathOf(opened), '/enter?from=%2Fvault%2Ffirst')
  await opened.click('#enter')
  await opened.hasText('h1', 'First')
  t.equal(pathOf(opened), '/vault/first')
  t.equal(await textOf(opened, '#user'), 'ada')
  t.ok(await isInPlace(opened))
  t.same(opened.errors, [])
})

t.test('the guard of a layout that stays runs for each navigation', async (t) => {
  const opened = await open(t, '/start')
  await setUser(opened, 'user=bob; Path=/')
  await opened.click('#first')
  await opened.hasText('h1', 'First')
  await opened.fill('#kept', 'typed')
  await opened.click('#second')
  await opened.hasText('h1', 'Second')
  t.equal(await opened.valueOf('#kept'), 'typed', 'the layout has stayed')
  await setUser(opened, NOBODY)
  await opened.click('#first')
  await opened.hasText('h1', 'Enter')
  t.equal(await textOf(opened, '#user'), null)
})

t.test('a form that a guard refuses or redirects does not reach the action', async (t) => {
  const opened = await open(t, '/start')
  await opened.fill('#note [name=text]', 'a text')
  await setUser(opened, 'user=mallory; Path=/')
  await opened.click('#send')
  await opened.hasText('[role=alert]', '403 Not for you')
  t.equal(pathOf(opened), '/vault/first')
  t.equal(await textOf(opened, '#user'), null, 'the layout of the guard is not shown')
  t.match(await textOf(opened, '#state'), 'idle', 'the layout above is')
  await opened.page.goBack()
  await opened.hasText('h1', 'Start')
  await setUser(opened, NOBODY)
  await opened.click('#send')
  await opened.hasText('h1', 'Enter')
  t.same(await done(), [])
  await setUser(opened, 'user=ada; Path=/')
  await opened.page.goBack()
  await opened.hasText('h1', 'Start')
  await opened.click('#send')
  await opened.hasText('h1', 'First')
  t.same(await done(), [{ path: 'ada: a text' }], 'the refused form has its text again')
})

/** Opens a page behind a guard, signs out, and goes back. */
async function backAfterLeaving(opened: OpenPage, origin: string, path: string) {
  await setUser(opened, 'user=ada; Path=/')
  await opened.goto(origin + path, 'load')
  await setUser(opened, NOBODY)
  await opened.goto(`${origin}/enter`, 'load')
  await opened.page.goBack()
  await opened.hasText('h1', 'Enter')
}

t.test('the Back button does not show a guarded page after the visitor has signed out', async (t) => {
  const opened = await open(t, '/start')
  await backAfterLeaving(opened, origin, '/vault/first')
  t.equal(pathOf(opened), '/enter?from=%2Fvault%2Ffirst')
})

t.test('nor one that the page cache has', async (t) => {
  const dir = await buildForBrowser(join(t.testdir({}), 'site'), {
    'pages/enter.tsx': 'export default () => <h1>Enter</h1>\n',
    'pages/members.tsx': 'export default () => <h1>Members</h1>\n',
    'pages/members.server.ts': `import { redirect } from 'hydrant'
export const cache = { maxAgeS: 600 }
export function guard({ request }) {
  if (!request.headers.cookie) redirect('/enter?from=members')
}
`,
  })
  const { open, origin } = await startInPlace(t, {}, dir)
  const opened = await open(t, '/enter')
  await backAfterLeaving(opened, origin, '/members')
  t.ok(opened.page.url().endsWith('/enter?from=members'), opened.page.url())
})

t.test('the guard of the root layout refuses a navigation', async (t) => {
  const opened = await open(t, '/start')
  await opened.click('#closed')
  await opened.hasText('[role=alert]', '403 Closed on Mondays')
  t.equal(pathOf(opened), '/other?closed')
})
