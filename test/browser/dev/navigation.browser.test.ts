/// <reference lib="dom" />

import t from 'tap'
import { until } from '../../until.ts'
import { LAYOUT, startDevSite } from './dev-site.ts'

const page = (title: string) => `export default function Page() {\n  return <h1>${title}</h1>\n}\n`

const site = await startDevSite(t, {
  'pages/layout.tsx': LAYOUT.replace(
    '<b ',
    '<nav><a id="to-one" href="/">one</a><a id="to-two" href="/two">two</a><a id="to-slow" href="/slow">slow</a></nav><b ',
  ),
  'pages/index.tsx': page('one'),
  'pages/two.tsx': page('two'),
  'pages/slow.tsx': page('slow'),
  'pages/slow.server.ts': 'export const load = ({ app }) => app.gate()\n',
  'server.ts': `export default async function server(app) {
  let open
  app.decorate('gate', () => new Promise((resolve) => { open = resolve }))
  app.get('/open', async () => { open?.('opened'); return String(open !== undefined) })
}
`,
})

t.test('shows the new code of a page that was not open, and of pages that were left', async (t) => {
  const open = await site.open('/')
  await open.use()
  site.edit('pages/two.tsx', 'two', 'second')
  await open.press('#to-two')
  await open.says('h1', 'second')
  site.edit('pages/index.tsx', 'one', 'first')
  await until(() => site.dev.lines.some((line) => /^updated .*pages\/index\.tsx/.test(line)))
  await open.press('#to-one')
  await open.says('h1', 'first')
  site.edit('pages/two.tsx', 'second', 'last')
  await until(() => site.dev.lines.filter((line) => /^updated .*pages\/two\.tsx/.test(line)).length === 2)
  await open.page.goBack()
  await open.says('h1', 'last')
  await open.page.goForward()
  await open.says('h1', 'first')
  t.equal((await open.state()).isSameDocument, true)
  t.strictSame(open.messages, [])
})

t.test('applies an edit while a navigation is pending', async (t) => {
  const open = await site.open('/')
  await open.use()
  await open.press('#to-slow')
  await until(async () => (await (await fetch(`${site.url}open`)).text()) === 'true')
  t.equal((await open.state()).isSameDocument, true)
  await open.says('h1', 'slow')
  await open.press('#to-one')
  await open.says('h1', 'first')
  const asked = open.page.waitForRequest(/slow\?_hydrant/)
  await open.press('#to-slow')
  await asked
  site.edit('pages/index.tsx', 'first', 'meanwhile')
  await open.says('h1', 'meanwhile')
  site.edit('pages/slow.tsx', 'slow', 'done')
  await until(() => site.dev.lines.some((line) => /^updated .*pages\/slow\.tsx/.test(line)))
  await fetch(`${site.url}open`)
  await open.says('h1', 'done')
  t.equal((await open.state()).isSameDocument, true)
  t.strictSame(open.messages, [])
})

t.test('shows the new code of a page whose file was deleted and is back', async (t) => {
  const updates = () => site.dev.lines.filter((line) => /^updated .*pages\/back\.tsx/.test(line)).length
  const applied = async (change: () => void) => {
    const before = updates()
    change()
    await until(() => updates() > before)
  }
  await applied(() => site.write('pages/back.tsx', page('before')))
  const open = await site.open('/')
  await open.use()
  const visit = (path: string) => open.evaluate((to) => void navigation.navigate(to), path)
  await visit('/back')
  await open.says('h1', 'before')
  await open.press('#to-two')
  await open.says('h1', 'last')
  await applied(() => site.remove('pages/back.tsx'))
  await applied(() => site.write('pages/back.tsx', page('after')))
  await visit('/back')
  await open.says('h1', 'after')
  t.equal((await open.state()).isSameDocument, true)
  t.strictSame(open.messages, [])
})
