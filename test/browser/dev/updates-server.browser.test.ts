/// <reference lib="dom" />

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastify } from 'fastify'
import t from 'tap'
import { listen } from '../../server/lines.ts'
import { until } from '../../until.ts'
import { keepsState, startDevSite } from './dev-site.ts'

/** The backend that the load of `/slow` waits for. It holds its responses while it is not open. */
let isOpen = true
const held: (() => void)[] = []
const backend = fastify()
t.teardown(() => backend.close())
backend.get('/', async () => {
  if (!isOpen) await new Promise<void>((resolve) => held.push(resolve))
  return 'ready'
})
const backendUrl = await listen(t, backend)

const site = await startDevSite(t, 'dev', {
  env: { BACKEND: backendUrl },
  prepare: (dir) => writeFileSync(join(dir, '.env'), 'GREETING=hello\n'),
})

t.test('runs the loads again in place when code of the server has changed', async (t) => {
  const page = await site.open('/server')
  t.equal(await page.read('#started'), 'a 1')
  t.equal(await page.read('#greeting'), 'hello')
  await keepsState(
    t,
    page,
    () => site.edit('pages/server/index.server.ts', 'row: row()', "row: row() + '!'"),
    '#row',
    'first row!',
  )
  await keepsState(t, page, () => site.edit('parts/rows.ts', ' row`', ' line`'), '#row', 'first line!')
  await keepsState(t, page, () => site.edit('parts/prefix.ts', 'first', 'second'), '#row', 'second line!')
  await keepsState(t, page, () => site.edit('parts/title.json', 'title', 'new title'), 'h1', 'new title')
  await keepsState(
    t,
    page,
    () => site.edit('pages/server/layout.server.ts', "'layout'", "'new layout'"),
    '#of-layout',
    'new layout',
  )
  await keepsState(t, page, () => site.edit('parts/shared.ts', "'shared'", "'both'"), '#shared', 'both both')
  t.equal(await page.read('#started'), 'a 1', 'the server has not started again')
  t.strictSame(page.messages, [])
})

t.test('shows an edit of a component while a load runs again, and then the data of the newest load', async (t) => {
  const page = await site.open('/server/slow')
  isOpen = false
  site.edit('pages/server/slow.server.ts', "'first'", "'second'")
  await until(() => held.length === 1)
  site.edit('pages/server/slow.tsx', 'heading', 'new heading')
  await page.says('h1', 'new heading')
  t.equal(await page.read('#slow'), 'first')
  site.edit('pages/server/slow.server.ts', "'second'", "'third'")
  await until(() => held.length === 2)
  for (const release of held.reverse()) release()
  isOpen = true
  await page.says('#slow', 'third')
  t.equal(await page.read('h1'), 'new heading')
  t.strictSame(page.messages, [])
})

t.test('starts the server again when its code or its environment has changed', async (t) => {
  const page = await site.open('/server')
  await keepsState(t, page, () => site.edit('server.ts', "' '", "'-'"), '#started', 'a-2')
  await keepsState(t, page, () => site.edit('parts/version.ts', "'a'", "'b'"), '#started', 'b-3')
  // A file is often empty at first, and often saved without a change of its variables.
  site.write('.env.local', '')
  await site.dev.waitFor(/^updated in .*\(\.env\.local\)$/)
  await keepsState(t, page, () => site.write('.env', 'GREETING=bye\n'), '#greeting', 'bye')
  await site.dev.waitFor(/^updated in .*\(\.env\)$/)
  t.equal(await page.read('#started'), 'b-4')
  site.write('.env', '# What visitors read\nGREETING=bye\n')
  await site.dev.waitFor(/^updated in .*\(\.env\)$/)
  await keepsState(
    t,
    page,
    () => site.write('pages/added.tsx', 'export default () => <h1>added</h1>\n'),
    '#started',
    'b-5',
  )
  await keepsState(
    t,
    page,
    () => site.edit('pages/server/index.tsx', '<h1>', '<h1 id="heading">'),
    '#heading',
    'new title',
  )
  t.equal(await page.read('#started'), 'b-5')
  t.strictSame(page.messages, [])
})

t.test('loads pages again after a change of a public variable', async (t) => {
  const page = await site.open('/server/public')
  t.equal(await page.read('h1'), 'none')
  site.write('.env', 'GREETING=bye\nPUBLIC_NAME="</script>tea"\n')
  await page.says('h1', '</script>tea')
  t.match(readFileSync(join(site.dir, 'hydrant-env.d.ts'), 'utf8'), "readonly 'PUBLIC_NAME': string")
  t.strictSame(page.errors, [])
})

t.test('sends changes to a page that connects late', async (t) => {
  const open = await site.tab()
  let isHeld = true
  await open.page.route(/_hydrant\/dev/, async (route) => {
    await until(() => !isHeld)
    await route.continue()
  })
  await open.goto(`${site.url}server`, 'load')
  await open.hydrated()
  await open.evaluate(() => void Object.assign(self, { isMarked: true }), null)
  const text = `late ${Date.now()}`
  site.edit('pages/server/index.tsx', '{data.title}', text)
  await until(() => site.dev.lines.some((line) => /^updated in .*pages\/server\/index\.tsx/.test(line)))
  t.equal(await open.read('h1'), 'new title')
  isHeld = false
  await open.says('h1', text)
  t.equal(await open.evaluate(() => 'isMarked' in self, null), true)
  await open.page.unrouteAll()
  site.edit('pages/server/index.tsx', text, '{data.title}')
})

t.test('loads pages again after a change of the configuration', async (t) => {
  const page = await site.open('/server')
  site.write('hydrant.config.ts', 'export default { esbuild: { define: { BUILD_WORD: \'"word"\' } } }\n')
  site.write('pages/server/index.tsx', 'export default function Page() {\n  return <h1>{BUILD_WORD}</h1>\n}\n')
  await page.says('h1', 'word')
  t.strictSame(page.errors, [])
})
