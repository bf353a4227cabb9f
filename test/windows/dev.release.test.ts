// `hydrant dev` on Windows.

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { launchChromium } from '../browser/chromium.ts'
import { until } from '../until.ts'
import { createSitesFolder, createSystemSite, serveOnWindows, writeFiles } from './windows-site.ts'
import { createFarFolder, prepareWindows } from './wine.ts'

const COUNTER =
  "import { useState } from 'react'\nexport default function Counter() {\n  const [count, add] = useState(0); return <button onClick={() => add(1)}>count {count}</button>\n}\n"

const SOURCES = {
  '.env': 'GREETING=hello\n',
  'hydrant.config.ts':
    "import { tailwind } from 'hydrant/tailwind'\nexport default {\n  esbuild: async () => {\n    const { default: mdx } = await import('@mdx-js/esbuild')\n    return { plugins: [tailwind(), mdx()] }\n  },\n}\n",
  'server.ts':
    "export default async function server(app) {\n  app.get('/api', async () => ({ api: 1, greeting: process.env.GREETING }))\n}\n",
  'pages/layout.tsx':
    "import './layout.css'\nexport default ({ children }) => <html lang='en'><body className='mt-[11px]'>{children}</body></html>\n",
  'pages/layout.css': "@import 'tailwindcss';\n.own {\n  color: red;\n}\n",
  'pages/index.tsx':
    "import { Title } from '../parts/title.tsx'\nexport default ({ data }) => <><Title /><p>data {data}</p></>\n",
  'pages/index.server.ts': 'export const load = () => 1\n',
  'pages/counter.tsx': COUNTER,
  'pages/text.mdx': '# A *text*\n',
  'pages/fails.tsx': 'export default () => null\n',
  'pages/fails.server.ts': "export function load() {\n  throw new Error('nobody')\n}\n",
  'pages/far.tsx': "import { text } from '@far/text.ts'\nexport default () => <p>{text}</p>\n",
  'pages/far.server.ts': "import { fail } from '@far/text.ts'\nexport const load = ({ url }) => url.search && fail()\n",
  'parts/title.tsx': 'export const Title = () => <h1>title 1</h1>\n',
  'public/file.txt': 'file 1',
}

await prepareWindows()
const folder = createSitesFolder(t)
const far = await createFarFolder(t)
const farText = (text: string) =>
  `export const text = '${text}'\nexport function fail() {\n  throw new Error('far')\n}\n`
writeFiles(far.dir, { 'text.ts': farText('far 1') })
const paths = { extends: 'hydrant/tsconfig.json', compilerOptions: { paths: { '@far/*': [`${far.path}/*`] } } }
const dir = await createSystemSite(folder, 'win32', 'a site', { ...SOURCES, 'tsconfig.json': JSON.stringify(paths) })
const dev = await serveOnWindows(t, ['dev'], { cwd: dir })
const { origin, output, waitFor, interrupt } = dev

const get = (path: string) => fetch(origin + path, { headers: { accept: 'text/html' } })
const textOf = async (path: string) => (await get(path)).text()
const shows = (path: string, text: string) => until(async () => (await textOf(path)).includes(text))
const hasStatus = (path: string, status: number) => until(async () => (await get(path)).status === status)
const write = (path: string, contents: string) => writeFiles(dir, { [path]: contents })
const rename = (from: string, to: string) => renameSync(join(dir, from), join(dir, to))

/** Returns the rules of the layout as the browser gets them. */
async function styles(): Promise<string> {
  const urls = [...(await textOf('/')).matchAll(/(?:href|src)="([^"]+\.(?:css|js)[^"]*)"/g)]
  const texts = await Promise.all(urls.map(([, url = '']) => textOf(url)))
  return texts.join('\n')
}

t.test('an edit of each kind is shown', async (t) => {
  await shows('/', '<h1>title 1</h1>')
  await t.test('a component', async () => {
    write('parts/title.tsx', 'export const Title = () => <h1>title 2</h1>\n')
    await shows('/', '<h1>title 2</h1>')
  })
  await t.test('a load', async () => {
    write('pages/index.server.ts', 'export const load = () => 2\n')
    await shows('/', 'data <!-- -->2')
  })
  await t.test('a stylesheet, with the classes that Tailwind CSS finds', async () => {
    await until(async () => /margin-top: ?11px/.test(await styles()))
    write('pages/layout.css', "@import 'tailwindcss';\n.own {\n  color: blue;\n}\n")
    await until(async () => /color: ?(?:blue|#00f)/.test(await styles()))
    write('pages/layout.tsx', SOURCES['pages/layout.tsx'].replace('11px', '13px'))
    await until(async () => /margin-top: ?13px/.test(await styles()))
  })
  await t.test('a text in MDX', async () => {
    await shows('/text', '<em>text</em>')
    write('pages/text.mdx', '# Another *word*\n')
    await shows('/text', '<em>word</em>')
  })
  await t.test('server.ts', async () => {
    await shows('/api', '"api":1')
    write('server.ts', SOURCES['server.ts'].replace('api: 1', 'api: 2'))
    await shows('/api', '"api":2')
  })
  await t.test('.env', async () => {
    await shows('/api', 'hello')
    write('.env', 'GREETING=goodbye\r\n')
    await shows('/api', 'goodbye')
  })
  await t.test('a module on another drive', async () => {
    await shows('/far', 'far 1')
    writeFiles(far.dir, { 'text.ts': farText('far 2') })
    await shows('/far', 'far 2')
  })
  await t.test('a file in public/', async () => {
    await shows('/file.txt', 'file 1')
    write('public/file.txt', 'file 2')
    await shows('/file.txt', 'file 2')
  })
})

t.test('an open page shows an edit and keeps its state', async (t) => {
  const { open } = await launchChromium(t)
  const { page, goto, hydrated, errors } = await open()
  await goto(`${origin}/counter`, 'load')
  await hydrated()
  await page.click('button')
  await page.waitForSelector('text=count 1')
  write('pages/counter.tsx', COUNTER.replace('>count', '>total'))
  await page.waitForSelector('text=total 1')
  write('pages/counter.tsx', COUNTER.replace('</button>', '</b>'))
  await page.waitForSelector('text=pages/counter.tsx:3')
  write('pages/counter.tsx', COUNTER)
  await page.waitForSelector('text=count 1')
  t.strictSame(errors, [])
})

t.test('a page can be new, renamed and deleted, and so can its folder', async () => {
  write('pages/new/deep/größe.tsx', 'export default () => <p>new</p>\n')
  await shows('/new/deep/gr%C3%B6%C3%9Fe', '<p>new</p>')
  rename('pages/new/deep/größe.tsx', 'pages/new/deep/other.tsx')
  await shows('/new/deep/other', '<p>new</p>')
  await hasStatus('/new/deep/gr%C3%B6%C3%9Fe', 404)
  // A name in another case is the same file on Windows.
  rename('pages/new/deep/other.tsx', 'pages/new/deep/Other.tsx')
  await shows('/new/deep/Other', '<p>new</p>')
  rename('pages/new', 'pages/renamed')
  await shows('/renamed/deep/Other', '<p>new</p>')
  await hasStatus('/new/deep/Other', 404)
  // From here on, Wine reports changes in the folder under its old name.
  rmSync(join(dir, 'pages/renamed'), { recursive: true })
  await hasStatus('/renamed/deep/Other', 404)
})

t.test('broken code is reported at its line until it is mended', async (t) => {
  write('parts/title.tsx', 'export const Title = () => <h1>title 3</h2>\n')
  await hasStatus('/', 500)
  const [, place] = await waitFor(/(parts.title\.tsx:1:\d+)/)
  t.match(place, /^parts\/title\.tsx:1:/)
  write('parts/title.tsx', 'export const Title = () => <h1>title 4</h1>\n')
  await shows('/', '<h1>title 4</h1>')
})

t.test('a failure has its line in the source', async (t) => {
  t.equal((await get('/fails')).status, 500)
  await waitFor(/load \(pages\/fails\.server\.ts:2:9\)/)
  t.match(output(), "> 2 |   throw new Error('nobody')")
  t.equal((await get('/far?fails')).status, 500)
  await waitFor(/fail \(D:\/far \w+\/text\.ts:3:9\)/)
})

t.test('the packages are bundled once', async (t) => {
  const cache = join(dir, 'node_modules/.cache/hydrant')
  t.ok(existsSync(cache))
  t.ok(readdirSync(cache, { recursive: true }).length > 0)
  t.equal(output().split('bundling the packages').length, 2)
})

t.test('Ctrl+C ends it, and leaves no folder behind', async (t) => {
  t.match(await interrupt(), { code: 0 })
  t.notOk(existsSync(join(dir, '.hydrant')))
})
