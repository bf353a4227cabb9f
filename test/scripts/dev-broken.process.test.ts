// A broken file fails the pages that reach it, and nothing else of a site under `hydrant dev`.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const page = (text: string) => `export default () => <p>${text}</p>\n`
const LAYOUT =
  'export default ({ children }) => <html lang="en"><head></head><body><nav>menu</nav>{children}</body></html>\n'

const FILES = {
  'pages/layout.tsx': LAYOUT,
  'pages/index.tsx': page('index'),
  'pages/a.tsx': 'import { Card } from \'../parts/card.tsx\'\nexport default () => <Card text="a" />\n',
  'pages/b.tsx':
    "import { Card } from '../parts/card.tsx'\nimport './b.css'\nexport default () => <Card text=\"b\" />\n",
  'pages/b.css': 'p { color: red }\n',
  'pages/form.tsx': '/** @param props */\nexport default ({ data, actionData }) => <p>{data} {actionData}</p>\n',
  'pages/form.server.ts':
    "import { word } from '../lib/word.ts'\nexport const load = () => word\nexport const action = () => 'sent'\n",
  'pages/sub/layout.tsx': 'export default ({ children }) => <section>{children}</section>\n',
  'pages/sub/index.tsx': page('sub'),
  'pages/sub/deep/[id].tsx': page('deep'),
  'parts/card.tsx': 'export const Card = ({ text }) => <p>{text}</p>\n',
  'lib/word.ts': "export const word = 'word'\n",
  'server.ts': "export default async (app) => app.get('/api', () => 'api')\n",
}
/** The addresses of the site, with texts of their responses. */
const PAGES: Record<string, string> = {
  ...{ '/': 'index', '/a': '>a<', '/b': '>b<', '/form': 'word', '/sub': 'sub', '/sub/deep/1': 'deep', '/api': 'api' },
}

interface Case {
  /** The files that are written; null removes one. */
  breaks: Record<string, string | null>
  /** The addresses that fail, and what their responses contain. */
  fails: Record<string, RegExp>
  /** The files that correct the problem, if they are not those of the site. */
  fix?: Record<string, string | null>
}

const SYNTAX = /HYD_BUILD_SYNTAX/
const ALL = Object.keys(PAGES)

const CASES: Record<string, Case> = {
  'a syntax error in a page': {
    breaks: { 'pages/a.tsx': 'export default () => <p>a</b>\n' },
    fails: { '/a': /HYD_BUILD_SYNTAX.*pages\/a\.tsx:1:/s },
  },
  'a syntax error in a component of two pages': {
    breaks: { 'parts/card.tsx': 'export const Card = (\n' },
    fails: { '/a': SYNTAX, '/b': SYNTAX },
  },
  'a syntax error in a layout': {
    breaks: { 'pages/sub/layout.tsx': 'export default (\n' },
    fails: { '/sub': SYNTAX, '/sub/deep/1': SYNTAX },
  },
  'a syntax error in a server file': {
    breaks: { 'pages/form.server.ts': 'export const load = (\n' },
    fails: { '/form': SYNTAX },
  },
  'a syntax error in a module that only the server has': {
    breaks: { 'lib/word.ts': 'export const word = \n' },
    fails: { '/form': SYNTAX },
  },
  'a stylesheet': {
    breaks: { 'pages/b.css': "@import './nowhere.css';\np { color: red }\n" },
    fails: { '/b': /HYD_BUILD_UNRESOLVED.*nowhere\.css/s },
  },
  'an import that leads to no file': {
    breaks: { 'pages/a.tsx': "import { Box } from '../parts/box.tsx'\nexport default () => <Box />\n" },
    fails: { '/a': /HYD_BUILD_UNRESOLVED.*parts\/box\.tsx/s },
    fix: { 'parts/box.tsx': 'export const Box = () => <p>a</p>\n' },
  },
  'an import of a package that is not installed': {
    breaks: { 'pages/a.tsx': `import 'nowhere-package'\n${FILES['pages/a.tsx']}` },
    fails: { '/a': /HYD_BUILD_UNRESOLVED.*nowhere-package/s },
  },
  'an import of a name that another file no longer exports': {
    breaks: { 'parts/card.tsx': 'export const Cart = ({ text }) => <p>{text}</p>\n' },
    fails: { '/a': /HYD_BUILD_IMPORT_NAME/, '/b': /HYD_BUILD_IMPORT_NAME/ },
  },
  'an export that is refused': {
    breaks: { 'pages/form.server.ts': "export const laod = () => 'word'\n" },
    fails: { '/form': /HYD_BUILD_SERVER_EXPORT/ },
  },
  'a page without a component': {
    breaks: { 'pages/a.tsx': 'export const A = () => <p>a</p>\n' },
    fails: { '/a': /HYD_BUILD_NO_COMPONENT/ },
  },
  'a browser module that imports a server file': {
    breaks: {
      'parts/card.tsx': `import { load } from '../pages/form.server.ts'\n${FILES['parts/card.tsx'].replace('text}<', 'text}{typeof load}<')}`,
    },
    fails: { '/a': /HYD_BUILD_SERVER_IN_BROWSER/, '/b': /HYD_BUILD_SERVER_IN_BROWSER/ },
  },
  'two pages for one address': {
    breaks: { 'pages/a/index.tsx': page('other') },
    fails: { '/a': /HYD_BUILD_URL_TAKEN.*pages\/a(\.tsx|\/index\.tsx).*pages\/a/s },
    fix: { 'pages/a/index.tsx': null },
  },
  'two layouts of one folder': {
    breaks: { 'pages/sub/layout.jsx': FILES['pages/sub/layout.tsx'] },
    fails: { '/sub': /HYD_BUILD_FILE_TWICE/, '/sub/deep/1': /HYD_BUILD_FILE_TWICE/ },
    fix: { 'pages/sub/layout.jsx': null },
  },
  'two server files of one page': {
    breaks: { 'pages/form.server.tsx': FILES['pages/form.server.ts'] },
    fails: { '/form': /HYD_BUILD_FILE_TWICE/ },
    fix: { 'pages/form.server.tsx': null },
  },
  'a page and a file of public/ for one address': {
    breaks: { 'public/a': 'file' },
    fails: { '/a': /HYD_BUILD_URL_TAKEN.*public\/a/s },
    fix: { 'public/a': null },
  },
  'a name that cannot be in an address': {
    breaks: { 'pages/[id.tsx': page('never') },
    fails: {},
    fix: { 'pages/[id.tsx': null },
  },
  'a file that is deleted': { breaks: { 'parts/card.tsx': null }, fails: { '/a': /card\.tsx/, '/b': /card\.tsx/ } },
  'a file that is renamed, and its imports later': {
    breaks: { 'lib/word.ts': null, 'lib/text.ts': FILES['lib/word.ts'] },
    fails: { '/form': /HYD_BUILD_UNRESOLVED/ },
    fix: { 'pages/form.server.ts': FILES['pages/form.server.ts'].replace('word.ts', 'text.ts') },
  },
  'several problems': {
    breaks: {
      'pages/a.tsx': 'export default (\n',
      'pages/form.server.ts': `import './nowhere.ts'\n${FILES['pages/form.server.ts']}`,
      'pages/sub/index.tsx': "import { Cart } from '../../parts/card.tsx'\nexport default () => <Cart />\n",
    },
    fails: { '/a': SYNTAX, '/form': /HYD_BUILD_UNRESOLVED/, '/sub': /HYD_BUILD_IMPORT_NAME/ },
  },
  'the root layout': {
    breaks: { 'pages/layout.tsx': 'export default (\n' },
    fails: Object.fromEntries(ALL.filter((path) => path !== '/api').map((path) => [path, SYNTAX])),
  },
  'server.ts': {
    breaks: { 'server.ts': 'export default (\n' },
    fails: Object.fromEntries(ALL.map((path) => [path, SYNTAX])),
  },
  'the configuration': {
    breaks: { 'hydrant.config.ts': 'export default {\n' },
    fails: Object.fromEntries(ALL.map((path) => [path, SYNTAX])),
    fix: { 'hydrant.config.ts': null },
  },
}

async function startSite(t: Test, files: Record<string, string>) {
  const dir = createSite(t, files)
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  async function get(path: string, init: RequestInit = {}) {
    const response = await fetch(new URL(path, url), { headers: { accept: 'text/html' }, ...init })
    return { status: response.status, text: await response.text() }
  }
  function write(changes: Record<string, string | null>) {
    for (const [path, contents] of Object.entries(changes)) {
      if (contents === null) rmSync(join(dir, path))
      else {
        mkdirSync(dirname(join(dir, path)), { recursive: true })
        writeFileSync(join(dir, path), contents)
      }
    }
  }
  /** Returns what is wrong with the responses. */
  async function differences(what: string, fails: Case['fails']): Promise<string[]> {
    const found = await Promise.all(
      Object.entries(PAGES).map(async ([path, content]) => {
        const { status, text } = await get(path)
        const isRight = fails[path]
          ? status === 500 && fails[path].test(text)
          : status === 200 && text.includes(content)
        return isRight ? [] : [`${what}: ${path} ${status} ${text.slice(0, 300)}`]
      }),
    )
    return found.flat()
  }
  return { dir, dev, get, write, differences }
}

const restored = (changes: Case['breaks']) =>
  Object.fromEntries(Object.keys(changes).map((path) => [path, FILES[path as keyof typeof FILES] ?? null]))

t.test('a broken file fails the pages that reach it, until it is fixed, and edits of others are shown', async (t) => {
  const { dev, get, write, differences } = await startSite(t, FILES)
  await dev.waitFor(/^ready in/)
  const wrong = await differences('before', {})
  let edits = 0
  for (const [what, { breaks, fails, fix }] of Object.entries(CASES)) {
    write(breaks)
    // Some of them are found when all files have been read.
    await dev.waitFor(/^Error \[HYD_BUILD_/)
    wrong.push(...(await differences(what, fails)))
    if (!fails['/']) {
      write({ 'pages/index.tsx': page(`index ${++edits}`) })
      await dev.waitFor(/^updated in .*pages\/index\.tsx/)
      if (!(await get('/')).text.includes(`index ${edits}`)) wrong.push(`${what}: an edit of another page is not shown`)
    }
    if (!fails['/form']) {
      const { text } = await get('/form', {
        method: 'POST',
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      })
      if (!text.includes('sent')) wrong.push(`${what}: the form ${text.slice(0, 300)}`)
    }
    write(fix ?? restored(breaks))
    await dev.waitFor(/^updated in/)
    wrong.push(...(await differences(`${what}, fixed`, {})))
    if (fix && !Object.values(fix).includes(null)) {
      write(restored({ ...breaks, ...fix }))
      await dev.waitFor(/^updated in/)
    }
  }
  t.strictSame(wrong, [])
})

t.test(
  'a site that starts with broken files serves the rest, and a server file may be written before its page',
  async (t) => {
    const { dev, write, get, differences } = await startSite(t, {
      ...FILES,
      'pages/a.tsx': 'export default (\n',
      'pages/form.server.ts': `import './nowhere.ts'\n${FILES['pages/form.server.ts']}`,
      'pages/early.server.ts': "export const load = () => 'early data'\n",
      'pages/b.tsx': `import 'broken-package'\n${FILES['pages/b.tsx']}`,
      'node_modules/broken-package/package.json': '{ "name": "broken-package", "type": "module", "main": "index.js" }',
      'node_modules/broken-package/index.js': 'export const broken = (\n',
    })
    await dev.waitFor(/^Warning \[HYD_BUILD_SERVER_ORPHAN\] pages\/early\.server\.ts/)
    const fails = { '/a': SYNTAX, '/form': /HYD_BUILD_UNRESOLVED/, '/b': /HYD_BUILD_SYNTAX.*broken-package/s }
    t.strictSame(await differences('started', fails), [])
    t.equal((await get('/early')).status, 404)
    write({ 'pages/early.tsx': 'export default ({ data }) => <p>{data}</p>\n' })
    await dev.waitFor(/^updated in .*early\.tsx/)
    t.match(await get('/early'), { status: 200, text: /early data/ })
    t.strictSame(await differences('with another page', fails), [])
    write(restored({ 'pages/a.tsx': null, 'pages/form.server.ts': null, 'pages/b.tsx': null }))
    await dev.waitFor(/^updated in/)
    t.strictSame(await differences('fixed', {}), [])
  },
)

t.test('modules that only a broken file imports keep their state', async (t) => {
  const { dev, write, get } = await startSite(t, {
    'pages/count.tsx': 'export default ({ data }) => <p>{data}</p>\n',
    'pages/count.server.ts': "import { next } from '../lib/count.ts'\nexport const load = () => 'count ' + next()\n",
    'lib/count.ts': 'let count = 0\nexport const next = () => ++count\n',
  })
  await dev.waitFor(/^ready in/)
  t.match(await get('/count'), { text: /count 1/ })
  write({ 'pages/count.server.ts': "import './nowhere.ts'\nexport const load = () => 0\n" })
  await dev.waitFor(/^Error \[HYD_BUILD_UNRESOLVED\]/)
  // All imports are read again.
  write({ 'pages/other.tsx': page('other') })
  await dev.waitFor(/^updated in .*other\.tsx/)
  t.match(await get('/other'), { status: 200 })
  write({
    'pages/count.server.ts': "import { next } from '../lib/count.ts'\nexport const load = () => 'again ' + next()\n",
  })
  await dev.waitFor(/^updated in/)
  t.match(await get('/count'), { text: /again 2/ })
})

t.test('a file of any kind that keeps the site from starting is read again when it is saved', async (t) => {
  const { dev, write, get } = await startSite(t, {
    'pages/index.tsx': page('index'),
    'hydrant.config.ts': "export default { esbuild: { loader: { '.graphql': 'text' } } }\n",
    'server.ts':
      "import schema from './schema.graphql'\nif (!schema.startsWith('type')) throw new Error('refused: ' + schema)\nexport default async () => {}\n",
  })
  await dev.waitFor(/^Error \[HYD_BUILD_UNRESOLVED\].*schema\.graphql/)
  for (const text of ['first', 'second']) {
    write({ 'schema.graphql': text })
    await dev.waitFor(new RegExp(`refused: ${text}`))
  }
  write({ 'schema.graphql': 'type Query { a: Int }' })
  await dev.waitFor(/^updated in .*schema\.graphql/)
  t.match(await get('/'), { status: 200, text: /index/ })
})
