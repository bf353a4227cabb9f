/// <reference lib="dom" />

import t from 'tap'
import { until } from '../../until.ts'
import { startDevSite } from './dev-site.ts'

const page = (title: string) => `export default function Page() {\n  return <h1>${title}</h1>\n}\n`

const site = await startDevSite(t, 'dev')

t.test('shows the new code of a page that was not open, and of pages that were left', async (t) => {
  const open = await site.open('/moves/one')
  await open.use()
  site.edit('pages/moves/two.tsx', 'two', 'second')
  await open.press('#to-two')
  await open.says('h1', 'second')
  site.edit('pages/moves/one.tsx', 'one', 'first')
  await until(() => site.dev.lines.some((line) => /^updated .*pages\/moves\/one\.tsx/.test(line)))
  await open.press('#to-one')
  await open.says('h1', 'first')
  site.edit('pages/moves/two.tsx', 'second', 'last')
  await until(() => site.dev.lines.filter((line) => /^updated .*pages\/moves\/two\.tsx/.test(line)).length === 2)
  await open.page.goBack()
  await open.says('h1', 'last')
  await open.page.goForward()
  await open.says('h1', 'first')
  t.equal((await open.state()).isSameDocument, true)
  t.strictSame(open.messages, [])
})

t.test('applies an edit while a navigation is pending', async (t) => {
  const open = await site.open('/moves/one')
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
  site.edit('pages/moves/one.tsx', 'first', 'meanwhile')
  await open.says('h1', 'meanwhile')
  site.edit('pages/moves/slow.tsx', 'slow', 'done')
  await until(() => site.dev.lines.some((line) => /^updated .*pages\/moves\/slow\.tsx/.test(line)))
  await fetch(`${site.url}open`)
  await open.says('h1', 'done')
  t.equal((await open.state()).isSameDocument, true)
  t.strictSame(open.messages, [])
})

t.test('shows the new code of a page whose file was deleted and is back', async (t) => {
  const updates = () => site.dev.lines.filter((line) => /^updated .*pages\/moves\/back\.tsx/.test(line)).length
  const applied = async (change: () => void) => {
    const before = updates()
    change()
    await until(() => updates() > before)
  }
  await applied(() => site.write('pages/moves/back.tsx', page('before')))
  const open = await site.open('/moves/one')
  await open.use()
  const visit = (path: string) => open.evaluate((to) => void navigation.navigate(to), path)
  await visit('/moves/back')
  await open.says('h1', 'before')
  await open.press('#to-two')
  await open.says('h1', 'last')
  await applied(() => site.remove('pages/moves/back.tsx'))
  await applied(() => site.write('pages/moves/back.tsx', page('after')))
  await visit('/moves/back')
  await open.says('h1', 'after')
  t.equal((await open.state()).isSameDocument, true)
  t.strictSame(open.messages, [])
})
