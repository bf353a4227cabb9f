/// <reference lib="dom" />

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastify } from 'fastify'
import t from 'tap'
import { listen } from '../../server/lines.ts'
import { until } from '../../until.ts'
import { keepsState, LAYOUT, startDevSite } from './dev-site.ts'

const PUBLIC_PAGE = `import { publicEnv } from 'hydrant/react'
const name = publicEnv.PUBLIC_NAME ?? 'none'
export default function Page() {
  return <h1>{name}</h1>
}
`

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

const site = await startDevSite(t, {
  'pages/layout.tsx': LAYOUT.replace('layout</b>', '{data.layout}</b>').replace('{ children }', '{ children, data }'),
  'pages/layout.server.ts': "export const load = () => ({ layout: 'layout' })\n",
  'pages/index.tsx': `import { shared } from '../parts/shared'
import { State } from '../parts/state'
export default function Page({ data }) {
  return (
    <main>
      <h1>{data.title}</h1>
      <p id="row">{data.row}</p><p id="started">{data.started}</p><p id="greeting">{data.greeting}</p>
      <p id="shared">{data.shared + ' ' + shared()}</p>
      <State />
    </main>
  )
}
`,
  'pages/index.server.ts': `import { shared } from '../parts/shared'
import { row } from '../parts/rows'
import title from '../parts/title.json'
export const load = ({ app }) => ({
  title: title.text,
  row: row(),
  started: String(app.started),
  greeting: process.env.GREETING ?? 'none',
  shared: shared(),
})
`,
  'parts/rows.ts': "import { prefix } from './prefix'\nexport const row = () => prefix + ' row'\n",
  'parts/prefix.ts': "export const prefix = 'first'\n",
  'parts/shared.ts': "export const shared = () => 'shared'\n",
  'parts/title.json': '{ "text": "title" }\n',
  'pages/slow.tsx': 'export default ({ data }) => <main><h1>heading</h1><b id="slow">{data}</b></main>\n',
  'pages/slow.server.ts': `export async function load() {
  await fetch('${backendUrl}')
  return 'first'
}
`,
  'server.ts': `import { version } from './parts/version'
globalThis.starts ??= 0
export default async function server(app) {
  globalThis.starts++
  app.decorate('started', version + ' ' + globalThis.starts)
}
`,
  'parts/version.ts': "export const version = 'a'\n",
  '.env': 'GREETING=hello\n',
})

t.test('runs the loads again in place when code of the server has changed', async (t) => {
  const page = await site.open('/')
  t.equal(await page.read('#started'), 'a 1')
  t.equal(await page.read('#greeting'), 'hello')
  await keepsState(
    t,
    page,
    () => site.edit('pages/index.server.ts', 'row: row()', "row: row() + '!'"),
    '#row',
    'first row!',
  )
  await keepsState(t, page, () => site.edit('parts/rows.ts', "' row'", "' line'"), '#row', 'first line!')
  await keepsState(t, page, () => site.edit('parts/prefix.ts', 'first', 'second'), '#row', 'second line!')
  await keepsState(t, page, () => site.edit('parts/title.json', 'title', 'new title'), 'h1', 'new title')
  await keepsState(
    t,
    page,
    () => site.edit('pages/layout.server.ts', "'layout'", "'new layout'"),
    '#layout',
    'new layout',
  )
  await keepsState(t, page, () => site.edit('parts/shared.ts', "'shared'", "'both'"), '#shared', 'both both')
  t.equal(await page.read('#started'), 'a 1', 'the server has not started again')
  t.strictSame(page.messages, [])
})

t.test('shows an edit of a component while a load runs again, and then the data of the newest load', async (t) => {
  const page = await site.open('/slow')
  isOpen = false
  site.edit('pages/slow.server.ts', "'first'", "'second'")
  await until(() => held.length === 1)
  site.edit('pages/slow.tsx', 'heading', 'new heading')
  await page.says('h1', 'new heading')
  t.equal(await page.read('#slow'), 'first')
  site.edit('pages/slow.server.ts', "'second'", "'third'")
  await until(() => held.length === 2)
  for (const release of held.reverse()) release()
  isOpen = true
  await page.says('#slow', 'third')
  t.equal(await page.read('h1'), 'new heading')
  t.strictSame(page.messages, [])
})

t.test('starts the server again when its code or its environment has changed', async (t) => {
  const page = await site.open('/')
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
  await keepsState(t, page, () => site.edit('pages/index.tsx', '<h1>', '<h1 id="heading">'), '#heading', 'new title')
  t.equal(await page.read('#started'), 'b-5')
  t.strictSame(page.messages, [])
})

t.test('loads pages again after a change of a public variable', async (t) => {
  site.write('pages/public.tsx', PUBLIC_PAGE)
  const page = await site.open('/public')
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
  await open.goto(site.url, 'load')
  await open.hydrated()
  await open.evaluate(() => void Object.assign(self, { isMarked: true }), null)
  const text = `late ${Date.now()}`
  site.edit('pages/index.tsx', '{data.title}', text)
  await until(() => site.dev.lines.some((line) => /^updated in .*pages\/index\.tsx/.test(line)))
  t.equal(await open.read('h1'), 'new title')
  isHeld = false
  await open.says('h1', text)
  t.equal(await open.evaluate(() => 'isMarked' in self, null), true)
  await open.page.unrouteAll()
  site.edit('pages/index.tsx', text, '{data.title}')
})

t.test('loads pages again after a change of the configuration', async (t) => {
  const page = await site.open('/')
  site.write('hydrant.config.ts', 'export default { esbuild: { define: { BUILD_WORD: \'"word"\' } } }\n')
  site.write('pages/index.tsx', 'export default function Page() {\n  return <h1>{BUILD_WORD}</h1>\n}\n')
  await page.says('h1', 'word')
  t.strictSame(page.errors, [])
})
