// Modules of a site in development keep their state until they or their imports change.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const page = 'export default () => <p>page</p>\n'

/** The files of the tests, each in folders of its own. */
const KEPT = {
  'lib/kept/db.ts':
    'export class NotFound extends Error {}\nexport const state = { calls: 0, started: Math.random() }\nawait new Promise(setImmediate)\n',
  'lib/kept/text.ts': "export const text = 'one'\n",
  'pages/kept/a.server.ts':
    "import { NotFound, state } from '../../lib/kept/db.ts'\nimport { text } from '../../lib/kept/text.ts'\nexport const load = () => ({ ...state, calls: ++state.calls, text, isSame: globalThis.kept ? globalThis.kept instanceof NotFound : null })\n",
  'pages/kept/b.server.ts':
    "import { NotFound, state } from '../../lib/kept/db.ts'\nexport const load = () => {\n  globalThis.kept ??= new NotFound()\n  return { ...state, calls: ++state.calls }\n}\n",
}
const CIRCULAR = {
  'lib/circular/first.ts': "import { tried } from './second.ts'\nexport const value = 1\nexport const seen = tried\n",
  'lib/circular/second.ts':
    "import { value } from './first.ts'\nexport let tried = ''\ntry {\n  tried = String(value)\n} catch (error) {\n  tried = (error as Error).name\n}\n",
  'pages/circular.server.ts': "import { seen } from '../lib/circular/first.ts'\nexport const load = () => seen\n",
  'lib/circular/late.ts': "import { early } from './early.ts'\nexport const late = 1\nexport const seen = early\n",
  'lib/circular/early.ts': "import { late } from './late.ts'\n\nexport const early = late + 1\n",
  'pages/early.server.ts': "import { seen } from '../lib/circular/late.ts'\nexport const load = () => seen\n",
}
const THROWS = {
  'lib/throws/db.ts': "const text = 'no database'\nthrow new Error(text)\nexport const find = () => 'found'\n",
  'lib/throws/package.ts':
    "import { missing } from 'esbuild'\nimport { version } from 'esbuild'\nexport const find = () => missing + version\n",
  'pages/throws/a.server.ts': "import { find } from '../../lib/throws/db.ts'\nexport const load = () => find()\n",
  'pages/throws/b.server.ts': "export const load = () => 'fine'\n",
  'pages/throws/c.server.ts': "import { find } from '../../lib/throws/package.ts'\nexport const load = () => find()\n",
}
const MISSPELLED = {
  'pages/misspelled/a.server.ts': "// A page\nimport { notFond } from 'hydrant'\nexport const load = () => notFond\n",
  'pages/misspelled/b.server.ts': "import { readFileSinc } from 'node:fs'\nexport const load = () => readFileSinc\n",
  'pages/misspelled/c.server.ts': "import { cookies } from 'hydrant'\nexport const load = () => cookies\n",
}
const UNNEEDED = { 'pages/unneeded.server.ts': 'export const load = () => 1\n' }
const HANGS = {
  'lib/hangs.ts': 'export const value = await new Promise(() => {})\n',
  'pages/hangs/a.server.ts': "import { value } from '../../lib/hangs.ts'\nexport const load = () => value\n",
  'pages/hangs/b.server.ts': "export const load = () => 'fine'\n",
}
const LATE = {
  'pages/late/a.server.ts':
    "export const load = () => 'old'\nawait new Promise((open) => {\n  Object.assign(globalThis, { open })\n})\n",
  'pages/late/b.server.ts': "export const load = () => 'open' in globalThis\n",
  'pages/late/c.server.ts': 'export const load = () => globalThis.open(true) ?? null\n',
}
const RETURNING = {
  'pages/returning/a.server.ts': "export { load } from '../../lib/returning/text'\n",
  'lib/returning/text/index.ts': "export const load = () => 'folder'\n",
}
const SAVED = { 'pages/saved.server.ts': 'export const load = () => 0\n' }
const SERVED = {
  'lib/served/connection.ts': "import { word } from './word.ts'\nexport const connection = { state: word + ' open' }\n",
  'lib/served/word.ts': "export const word = 'one'\n",
  'pages/served.server.ts':
    "import { connection } from '../lib/served/connection.ts'\nexport const load = () => connection.state\n",
}
const GUARDED = {
  'lib/open.ts': 'export const isOpen = () => true\n',
  'pages/members/layout.server.ts': 'export const load = () => 1\n',
  'pages/members/index.server.ts': 'export const load = () => 1\n',
  'pages/members/layout.tsx': 'export default ({ children }) => children\n',
}

const { dev, load, html, status, save, write, remove } = await startDev({
  ...{
    ...KEPT,
    ...CIRCULAR,
    ...THROWS,
    ...MISSPELLED,
    ...UNNEEDED,
    ...HANGS,
    ...LATE,
    ...RETURNING,
    ...SAVED,
    ...SERVED,
    ...GUARDED,
  },
})

async function startDev(files: Record<string, string>) {
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
    async remove(path: string) {
      rmSync(join(dir, path))
      await dev.waitFor(/^updated in/)
    },
  }
}

t.test(
  'a module is evaluated once, also by concurrent requests, and keeps its state while others change',
  async (t) => {
    interface Loaded {
      calls: number
      started: number
      text: string
      isSame: boolean
    }
    // The pages return this type.
    const read = async (path: string) => (await load(path)) as Loaded
    const first = await Promise.all(['/kept/a', '/kept/b', '/kept/a', '/kept/b'].map(read))
    t.strictSame(new Set(first.map(({ calls }) => calls)), new Set([1, 2, 3, 4]))
    t.equal(new Set(first.map(({ started }) => started)).size, 1, 'evaluated once')
    await save('lib/kept/text.ts', "export const text = 'two'\n")
    t.match(await read('/kept/a'), { text: 'two', calls: 5, started: first[0]?.started, isSame: true })
    const other = 'export class NotFound extends Error {}\nexport const state = { calls: 0, started: 2 }\n'
    await save('lib/kept/db.ts', other)
    t.match(await read('/kept/b'), { calls: 1, started: 2 })
    t.match(await read('/kept/a'), { calls: 2, started: 2, isSame: false })
  },
)

t.test('circular imports follow the rules of ES modules', async (t) => {
  t.equal(await load('/circular'), 'ReferenceError')
  t.match(await load('/early'), { status: 500 })
  await dev.waitFor(/^ReferenceError: Cannot access 'late' before initialization$/)
  await dev.waitFor(/^lib\/circular\/early\.ts:3:22$/)
})

t.test('a module that throws fails its own page with a line, until it is fixed', async (t) => {
  t.match(await load('/throws/a'), { status: 500, digest: /^\w{8}-\w{6}$/ })
  await dev.waitFor(/^Error: no database/)
  await dev.waitFor(/^lib\/throws\/db\.ts:2:7$/)
  t.match(await html('/throws/a'), 'Application error')
  t.equal(await load('/throws/b'), 'fine')
  t.match(await load('/throws/c'), { status: 500 })
  await dev.waitFor(/does not provide an export named 'missing'|Named export 'missing' not found/)
  await dev.waitFor(/^lib\/throws\/package\.ts:1:/)
  await save('lib/throws/db.ts', "export const find = () => 'found'\n")
  t.equal(await load('/throws/a'), 'found')

  write('pages/throws/b.server.ts', 'export const load = () => {\n')
  await dev.waitFor(/^Error \[HYD_BUILD_SYNTAX\]/)
  await dev.waitFor(/^pages\/throws\/b\.server\.ts:2:1$/)
  await save('pages/throws/b.server.ts', THROWS['pages/throws/b.server.ts'])
})

t.test('the error of a misspelled import names the line and the right name', async (t) => {
  for (const path of ['/misspelled/a', '/misspelled/b', '/misspelled/c']) t.match(await load(path), { status: 500 })
  await dev.waitFor(/^Error \[HYD_BUILD_IMPORT_NAME\] "hydrant" has no export "notFond"; did you mean "notFound"\?/)
  await dev.waitFor(/^pages\/misspelled\/a\.server\.ts:2:/)
  await dev.waitFor(
    /^Error \[HYD_BUILD_IMPORT_NAME\] "node:fs" has no export "readFileSinc"; did you mean "readFileSync"\?/,
  )
  await dev.waitFor(/^pages\/misspelled\/b\.server\.ts:1:/)
  await dev.waitFor(/^Try: Read request\.headers/)
})

t.test('the error of a module is shown inside the layouts that can be loaded', async (t) => {
  await save(
    'pages/layout.tsx',
    'export default ({ children }) => <html lang="en"><body><nav>menu</nav>{children}</body></html>\n',
  )
  t.match(await html('/misspelled/a'), /<html lang="en">.*<nav>menu<\/nav>.*Application error/s)
  await save('pages/layout.server.ts', "throw new Error('no menu')\nexport const load = () => 1\n")
  for (const path of ['/misspelled/a', '/nowhere']) {
    const document = await html(path)
    t.match(document, /<html lang="en">.*Application error/s)
    t.notMatch(document, 'menu')
  }
  await remove('pages/layout.server.ts')
  t.match(await html('/nowhere'), /<nav>menu<\/nav>.*could not be found/s)
  await remove('pages/layout.tsx')
})

t.test('a not-found page that cannot be loaded fails the 404s, and no other page', async (t) => {
  await save('pages/here.tsx', 'export default () => <p>here</p>\n')
  await save('pages/gone.tsx', 'export default () => <p>never</p>\n')
  await save('pages/gone.server.ts', "import { notFound } from 'hydrant'\nexport const load = () => notFound()\n")
  await save('pages/not-found.tsx', "throw new Error('no list')\nexport default () => <p>gone</p>\n")
  t.match(await html('/here'), '<p>here</p>')
  for (const path of ['/gone', '/nowhere']) {
    t.match(await html(path), 'Application error')
    await dev.waitFor(/^Error: no list/)
    await dev.waitFor(/^pages\/not-found\.tsx:1:7/)
  }
  await save('pages/not-found.tsx', 'export default () => <p>gone</p>\n')
  for (const path of ['/gone', '/nowhere']) t.match(await html(path), '<p>gone</p>')
  for (const file of ['here.tsx', 'gone.server.ts', 'gone.tsx', 'not-found.tsx']) await remove(`pages/${file}`)
})

t.test('errors of routes and unknown paths are shown in the current root layout', async (t) => {
  const layout = (menu: string) =>
    `export default ({ data, children }) => <html lang="en"><body><nav>${menu} {data?.name}</nav>{children}</body></html>\n`
  await save('pages/layout.tsx', layout('one'))
  await save('server.ts', "export default async (app) => app.get('/ping', () => { throw new Error('broken') })\n")
  t.match(await html('/ping'), /<html lang="en">.*<nav>one .*Application error/s)
  for (const menu of ['two', 'three']) {
    await save('pages/layout.tsx', layout(menu))
    t.match(await html('/nowhere'), new RegExp(`<nav>${menu} .*could not be found`, 's'))
    t.match(await html('/ping'), new RegExp(`<nav>${menu} .*Application error`, 's'))
  }
  await save('pages/layout.server.ts', "export const load = () => ({ name: 'ada' })\n")
  t.match(await html('/nowhere'), /<nav>three .*ada.*could not be found/s)
  await save('pages/layout.server.ts', "throw new Error('no menu')\nexport const load = () => ({ name: 'ada' })\n")
  for (const path of ['/nowhere', '/ping']) {
    const document = await html(path)
    t.match(document, /<html lang="en">.*Application error/s)
    t.notMatch(document, 'three')
  }
  await save('pages/layout.server.ts', "export const load = () => ({ name: 'bob' })\n")
  t.match(await html('/nowhere'), /<nav>three .*bob.*could not be found/s)
  await remove('pages/layout.server.ts')
  await remove('server.ts')
  await remove('pages/layout.tsx')
})

t.test('a new server gets new connections, and its onClose hooks close only its own', async (t) => {
  const opens = (start: string) => `import { connection } from './lib/served/connection.ts'
export default async function server(app) {
  app.addHook('onClose', async () => {
    connection.state = 'closed'
  })
  ${start}
}
`
  const isOpen = async (word: string, what: string) => t.equal(await load('/served'), `${word} open`, what)
  await isOpen('one', 'without server.ts')
  await save('server.ts', opens("app.get('/first', () => connection.state)"))
  await isOpen('one', 'a new server.ts')
  await save('server.ts', opens("app.get('/second', () => connection.state)"))
  await isOpen('one', 'an edit of server.ts')
  t.equal(await html('/second'), 'one open')
  await save('lib/served/word.ts', "export const word = 'two'\n")
  await isOpen('two', 'an edit of a module that it reaches')
  await save('pages/later.tsx', page)
  await isOpen('two', 'a new page')
  write('server.ts', opens("if (globalThis.tries !== (globalThis.tries = 1)) throw new Error('no tables')"))
  await dev.waitFor(/^Error: no tables/)
  await save('pages/later.tsx', page.replace('page', 'later'))
  await isOpen('two', 'another start after one that failed')
  await save('server.ts', 'export default async () => {}\n')
  await isOpen('two', 'a server.ts that no longer reaches it')
  await save('server.ts', opens(''))
  await remove('server.ts')
  await isOpen('two', 'without server.ts again')
  await remove('pages/later.tsx')
})

t.test('an error in a file that no request has needed is shown when it is saved', async () => {
  write('pages/unneeded.server.ts', 'export const load = () => (\n')
  await dev.waitFor(/^Error \[HYD_BUILD_SYNTAX\]/)
  await save('pages/unneeded.server.ts', UNNEEDED['pages/unneeded.server.ts'])
})

t.test('a top-level await that never settles fails its own page, and no other', async (t) => {
  const hanging = load('/hangs/a')
  t.equal(await load('/hangs/b'), 'fine')
  t.match(await hanging, { status: 500 })
  await dev.waitFor(/^Server error {2}A module of \/hangs\/a failed while it was loaded$/)
  await dev.waitFor(
    /^Error \[HYD_AWAIT_TIMEOUT\] the top-level await of lib\/hangs\.ts has not settled within \d+ seconds/,
  )
  await dev.waitFor(/^Try: Find the promise/)
  await save('lib/hangs.ts', 'export const value = await Promise.resolve(1)\n')
  t.equal(await load('/hangs/a'), 1)
})

t.test('late code of a route does not replace newer code', async (t) => {
  const first = load('/late/a')
  for (let isLoading = false; !isLoading; ) isLoading = (await load('/late/b')) === true
  await save('pages/late/a.server.ts', "export const load = () => 'new'\n")
  t.equal(await load('/late/a'), 'new')
  await load('/late/c')
  t.equal(await first, 'new')
  t.equal(await load('/late/a'), 'new')
})

t.test('no save is lost, however soon it follows another one', async (t) => {
  for (let value = 1; value <= 20; value++) {
    await save('pages/saved.server.ts', `export const load = () => ${value}\n`)
    t.equal(await load('/saved'), value)
  }
})

t.test('an edit of a guard takes effect at the next request, also for unknown paths', async (t) => {
  const guard =
    "import { redirect } from 'hydrant'\nimport { isOpen } from '../../lib/open.ts'\nexport const guard = () => isOpen() || redirect('/')\n"
  const refuses = guard.replace('isOpen() ||', 'void isOpen() ??')
  const passes = guard.replace("|| redirect('/')", "? undefined : redirect('/')")
  const statuses = async () => [await status('/members'), await status('/members/nope')]
  t.strictSame(await statuses(), [200, 404])
  await save('pages/members/layout.server.ts', refuses)
  t.strictSame(await statuses(), [302, 302], 'a guard has been added')
  await save('pages/members/layout.server.ts', passes)
  t.strictSame(await statuses(), [200, 404])
  await save('lib/open.ts', GUARDED['lib/open.ts'].replace('true', 'false'))
  t.strictSame(await statuses(), [302, 302], 'a module that the guard imports')
  await save('pages/members/layout.server.ts', 'export const guard = Number(1)\n')
  t.strictSame(await statuses(), [500, 500], 'a guard that is not a function opens nothing')
  await save('pages/members/layout.server.ts', 'export const load = () => 2\n')
  t.strictSame(await statuses(), [200, 404])
})

t.test(
  'the first server file of a page or a layout takes effect at the next request, and a deleted one no longer',
  async (t) => {
    const shows = 'export default ({ data, children }) => <p>{String(data)}{children}</p>\n'
    await save('pages/added.tsx', shows)
    t.match(await html('/added'), '<p>undefined</p>')
    await save('pages/added.server.ts', "export const load = () => 'loaded'\n")
    t.match(await html('/added'), '<p>loaded</p>')
    t.equal(await load('/added'), 'loaded')
    await remove('pages/added.server.ts')
    t.match(await html('/added'), '<p>undefined</p>')
    await save('pages/layout.tsx', shows)
    await save('pages/layout.server.ts', "export const load = () => 'of the layout'\n")
    t.match(await html('/added'), '<p>of the layout<p>undefined</p></p>')
    await remove('pages/layout.server.ts')
    await remove('pages/layout.tsx')
    t.match(await html('/added'), '<p>undefined</p>')
  },
)

t.test('a file that is deleted and returns runs its new code', async (t) => {
  const shows = (text: string) => `export default () => <p>${text}</p>\n`
  await save('pages/returned.tsx', shows('first'))
  t.match(await html('/returned'), '<p>first</p>')
  await remove('pages/returned.tsx')
  t.equal(await status('/returned'), 404)
  await save('pages/returned.tsx', shows('second'))
  t.match(await html('/returned'), '<p>second</p>')

  const responds = (text: string) => `export default (app) => { app.get('/of-server', () => '${text}') }\n`
  await save('server.ts', responds('first'))
  t.equal(await html('/of-server'), 'first')
  await remove('server.ts')
  t.equal(await status('/of-server'), 404)
  await save('server.ts', responds('second'))
  t.equal(await html('/of-server'), 'second')
  await remove('server.ts')
})

t.test('a module is evaluated again when its imports lead to other files', async (t) => {
  t.equal(await load('/returning/a'), 'folder')
  await save('lib/returning/text.ts', "export const load = () => 'file'\n")
  t.equal(await load('/returning/a'), 'file')
  await remove('lib/returning/text.ts')
  t.equal(await load('/returning/a'), 'folder')
})
