// Modules of a site in development keep their state until they or their imports change.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const page = 'export default () => <p>page</p>\n'

async function startDev(t: Test, files: Record<string, string>) {
  const pages = Object.keys(files).filter((path) => path.endsWith('.server.ts'))
  const components = pages.map((path) => [path.replace('.server.ts', '.tsx'), page])
  const dir = createSite(t, { ...Object.fromEntries(components), ...files })
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  return {
    dev,
    async load(path: string): Promise<unknown> {
      return (await fetch(new URL(path, url), { headers: { accept: 'application/json' } })).json()
    },
    html: async (path: string) => (await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).text(),
    async status(path: string): Promise<number> {
      const response = await fetch(new URL(path, url), { headers: { accept: 'text/html' }, redirect: 'manual' })
      await response.body?.cancel()
      return response.status
    },
    async save(path: string, contents: string) {
      writeFileSync(join(dir, path), contents)
      await dev.waitFor(/^updated in/)
    },
    write: (path: string, contents: string) => writeFileSync(join(dir, path), contents),
  }
}

t.test(
  'a module is evaluated once, also by concurrent requests, and keeps its state while others change',
  async (t) => {
    const text = (value: string) => `export const text = '${value}'\n`
    const { load, save } = await startDev(t, {
      'lib/db.ts':
        'export class NotFound extends Error {}\nexport const state = { calls: 0, started: Math.random() }\nawait new Promise(setImmediate)\n',
      'lib/text.ts': text('one'),
      'pages/a.server.ts':
        "import { NotFound, state } from '../lib/db.ts'\nimport { text } from '../lib/text.ts'\nexport const load = () => ({ ...state, calls: ++state.calls, text, isSame: globalThis.kept ? globalThis.kept instanceof NotFound : null })\n",
      'pages/b.server.ts':
        "import { NotFound, state } from '../lib/db.ts'\nexport const load = () => {\n  globalThis.kept ??= new NotFound()\n  return { ...state, calls: ++state.calls }\n}\n",
    })
    interface Loaded {
      calls: number
      started: number
      text: string
      isSame: boolean
    }
    // The pages return this type.
    const read = async (path: string) => (await load(path)) as Loaded
    const first = await Promise.all(['/a', '/b', '/a', '/b'].map(read))
    t.strictSame(new Set(first.map(({ calls }) => calls)), new Set([1, 2, 3, 4]))
    t.equal(new Set(first.map(({ started }) => started)).size, 1, 'evaluated once')
    await save('lib/text.ts', text('two'))
    t.match(await read('/a'), { text: 'two', calls: 5, started: first[0]?.started, isSame: true })
    await save('lib/db.ts', 'export class NotFound extends Error {}\nexport const state = { calls: 0, started: 2 }\n')
    t.match(await read('/b'), { calls: 1, started: 2 })
    t.match(await read('/a'), { calls: 2, started: 2, isSame: false })
  },
)

t.test('circular imports follow the rules of ES modules', async (t) => {
  const { load } = await startDev(t, {
    'lib/first.ts': "import { tried } from './second.ts'\nexport const value = 1\nexport const seen = tried\n",
    'lib/second.ts':
      "import { value } from './first.ts'\nexport let tried = ''\ntry {\n  tried = String(value)\n} catch (error) {\n  tried = (error as Error).name\n}\n",
    'pages/a.server.ts': "import { seen } from '../lib/first.ts'\nexport const load = () => seen\n",
  })
  t.equal(await load('/a'), 'ReferenceError')
})

t.test('a module that throws fails its own page with a line, until it is fixed', async (t) => {
  const broken = "const text = 'no database'\nthrow new Error(text)\nexport const find = () => 'found'\n"
  const { dev, load, html, save, write } = await startDev(t, {
    'lib/db.ts': broken,
    'lib/package.ts': "import { missing } from 'esbuild'\nexport const find = () => missing\n",
    'pages/a.server.ts': "import { find } from '../lib/db.ts'\nexport const load = () => find()\n",
    'pages/b.server.ts': "export const load = () => 'fine'\n",
    'pages/c.server.ts': "import { find } from '../lib/package.ts'\nexport const load = () => find()\n",
  })
  t.match(await load('/a'), { status: 500, digest: /^\w{8}-\w{6}$/ })
  await dev.waitFor(/^Error: no database/)
  await dev.waitFor(/^lib\/db\.ts:2:7$/)
  t.match(await html('/a'), 'Application error')
  t.equal(await load('/b'), 'fine')
  t.match(await load('/c'), { status: 500 })
  await dev.waitFor(/does not provide an export named 'missing'|Named export 'missing' not found/)
  await dev.waitFor(/^lib\/package\.ts:1:/)
  await save('lib/db.ts', "export const find = () => 'found'\n")
  t.equal(await load('/a'), 'found')

  write('pages/b.server.ts', 'export const load = () => {\n')
  await dev.waitFor(/^Error \[HYD_BUILD_SYNTAX\]/)
  await dev.waitFor(/^pages\/b\.server\.ts:2:1$/)
})

t.test('an error in a file that no request has needed is shown when it is saved', async (t) => {
  const { dev, write } = await startDev(t, { 'pages/a.server.ts': 'export const load = () => 1\n' })
  write('pages/a.server.ts', 'export const load = () => (\n')
  await dev.waitFor(/^Error \[HYD_BUILD_SYNTAX\]/)
})

t.test('a top-level await that never settles fails its own page, and no other', async (t) => {
  const { dev, load, save } = await startDev(t, {
    'lib/hangs.ts': 'export const value = await new Promise(() => {})\n',
    'pages/a.server.ts': "import { value } from '../lib/hangs.ts'\nexport const load = () => value\n",
    'pages/b.server.ts': "export const load = () => 'fine'\n",
  })
  const hanging = load('/a')
  t.equal(await load('/b'), 'fine')
  t.match(await hanging, { status: 500 })
  await dev.waitFor(/The top-level await of lib\/hangs\.ts has not settled within \d+ seconds/)
  await save('lib/hangs.ts', 'export const value = await Promise.resolve(1)\n')
  t.equal(await load('/a'), 1)
})

t.test('no save is lost, however soon it follows another one', async (t) => {
  const text = (value: number) => `export const load = () => ${value}\n`
  const { load, save } = await startDev(t, { 'pages/a.server.ts': text(0) })
  for (let value = 1; value <= 20; value++) {
    await save('pages/a.server.ts', text(value))
    t.equal(await load('/a'), value)
  }
})

t.test('an edit of a guard takes effect at the next request, also for unknown paths', async (t) => {
  const lets = 'export const isOpen = () => true\n'
  const guard =
    "import { redirect } from 'hydrant'\nimport { isOpen } from '../../lib/open.ts'\nexport const guard = () => isOpen() || redirect('/')\n"
  const refuses = guard.replace('isOpen() ||', 'void isOpen() ??')
  const passes = guard.replace("|| redirect('/')", "? undefined : redirect('/')")
  const { status, save } = await startDev(t, {
    'lib/open.ts': lets,
    'pages/index.server.ts': 'export const load = () => 1\n',
    'pages/members/layout.server.ts': 'export const load = () => 1\n',
    'pages/members/index.server.ts': 'export const load = () => 1\n',
    'pages/members/layout.tsx': 'export default ({ children }) => children\n',
  })
  const statuses = async () => [await status('/members'), await status('/members/nope')]
  t.strictSame(await statuses(), [200, 404])
  await save('pages/members/layout.server.ts', refuses)
  t.strictSame(await statuses(), [302, 302], 'a guard has been added')
  await save('pages/members/layout.server.ts', passes)
  t.strictSame(await statuses(), [200, 404])
  await save('lib/open.ts', lets.replace('true', 'false'))
  t.strictSame(await statuses(), [302, 302], 'a module that the guard imports')
  await save('pages/members/layout.server.ts', 'export const guard = 1\n')
  t.strictSame(await statuses(), [500, 500], 'a guard that is not a function opens nothing')
  await save('pages/members/layout.server.ts', 'export const load = () => 2\n')
  t.strictSame(await statuses(), [200, 404])
})
