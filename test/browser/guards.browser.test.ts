/// <reference lib="dom" />

import t from 'tap'
import type { OpenPage } from './chromium.ts'
import { isInPlace, startInPlace, textOf } from './in-place-site.ts'

const page = (title: string) => `export default () => <>
  <h1>${title}</h1>
  <a id="first" href="/vault/first">first</a>
  <a id="second" href="/vault/second">second</a>
  <a id="closed" href="/other?closed">closed</a>
  <form id="note" method="post" action="/vault/first"><input name="text" defaultValue="initial" /><button id="send">Send</button></form>
</>
`

const { open, done, origin } = await startInPlace(t, {
  'pages/layout.server.ts': `
import { HttpError } from 'hydrant'
export const load = ({ app }) => ({ count: app.count() })
export function guard({ url }) {
  if (url.searchParams.has('closed')) throw new HttpError(403, 'Closed on Mondays')
}
`,
  'pages/start.tsx': page('Start'),
  'pages/vault/layout.tsx':
    'export default ({ data, children }) => <section><p id="user">{data}</p><input id="kept" />{children}</section>\n',
  'pages/vault/layout.server.ts': `
import { HttpError, redirect } from 'hydrant'
export function guard({ request, url }) {
  const [, user] = /user=(\\w+)/.exec(request.headers.cookie ?? '') ?? []
  if (user === 'mallory') throw new HttpError(403, 'Not for you')
  if (!user) redirect('/enter?from=' + encodeURIComponent(url.pathname))
  return { user }
}
export const load = ({ context }) => context.user
`,
  'pages/vault/first.tsx': page('First'),
  'pages/vault/first.server.ts':
    "export const action = ({ app, form, context }) => app.done({ path: context.user + ': ' + form.get('text') })\n",
  'pages/vault/second.tsx': page('Second'),
  'pages/enter.tsx':
    'export default () => <form method="post"><h1>Enter</h1><button id="enter">Enter</button></form>\n',
  'pages/enter.server.ts': `
import { localPath, redirect } from 'hydrant'
export function action({ reply, url }) {
  reply.header('set-cookie', 'user=ada; Path=/')
  redirect(localPath(url.searchParams.get('from'), '/'))
}
`,
})

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

t.test('the Back button does not show a guarded page after the visitor has signed out', async (t) => {
  const opened = await open(t, '/start')
  await setUser(opened, 'user=ada; Path=/')
  await opened.goto(`${origin}/vault/first`, 'load')
  await setUser(opened, NOBODY)
  await opened.goto(`${origin}/enter`, 'load')
  await opened.page.goBack()
  await opened.hasText('h1', 'Enter')
  t.equal(pathOf(opened), '/enter?from=%2Fvault%2Ffirst')
})

t.test('the guard of the root layout refuses a navigation', async (t) => {
  const opened = await open(t, '/start')
  await opened.click('#closed')
  await opened.hasText('[role=alert]', '403 Closed on Mondays')
  t.equal(pathOf(opened), '/other?closed')
})
