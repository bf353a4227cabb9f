// A built site on Windows. Its sources have the line ends of Windows.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startCommand } from '../docs/start-command.ts'
import { fetchNode } from '../node-version.ts'
import { walk } from '../scripts/walk.ts'
import { until } from '../until.ts'
import { createUserEnv } from '../user-env.ts'
import { createSitesFolder, createSystemSite, hydrantOnWindows, runHydrant, serveOnWindows } from './windows-site.ts'
import { NODE, prepareWindows, runWindows } from './wine.ts'

const page = (text: string) => `export default function Page({ data }) {\n  return <p>${text}</p>\n}\n`

const SOURCES: Readonly<Record<string, string>> = {
  '.env': 'GREETING=hello\nPUBLIC_NAME="two\nlines"\n',
  'server.ts':
    "export default async function server(app) {\n  app.get('/api', async () => ({ greeting: process.env.GREETING }))\n  app.get('/pid', async () => process.pid)\n  app.get('/slow', async () => {\n    console.log('slow')\n    await new Promise((done) => setTimeout(done, 1_000))\n    return 'done'\n  })\n}\n",
  'pages/index.tsx':
    "import styles from '../parts/box.module.css'\nimport dot from '../parts/dot ü.svg'\nexport default () => <><link rel='icon' href={dot} /><p className={styles.box}>home</p></>\n",
  'pages/layout.tsx':
    "import './layout.css'\nexport default ({ children }) => <html lang='en'><body>{children}</body></html>\n",
  'pages/layout.css': 'body {\n  margin: 0;\n}\n',
  'parts/box.module.css': '.box {\n  color: red;\n}\n',
  'parts/dot ü.svg': '<svg xmlns="http://www.w3.org/2000/svg">\n</svg>\n',
  'pages/größe/[id].tsx': page('size {data}'),
  'pages/größe/[id].server.ts': 'export const load = ({ params }) => params.id\n',
  'pages/form.tsx':
    "export default ({ actionData }) => <form method='post' encType='multipart/form-data'><input type='file' name='file' /><p>{actionData}</p></form>\n",
  'pages/form.server.ts':
    "export async function action({ form }) {\n  const file = form.get('file')\n  return [file.name, await file.text()].join()\n}\n",
  'pages/stored.tsx': page('rendered {data}'),
  'pages/stored.server.ts':
    'let count = 0\nexport const cache = { maxAgeS: 60 }\nexport function load() {\n  return ++count\n}\n',
  'pages/fixed.tsx': page('fixed'),
  'pages/fixed.server.ts': 'export const prerender = true\n',
  'pages/fails.tsx': page('{data}'),
  'pages/fails.server.ts':
    "import { find } from '../parts/find.ts'\n\nexport function load() {\n  return find('kim')\n}\n",
  'parts/find.ts':
    '/** Finds\n * a person. */\nexport function find(name: string) {\n  throw new Error(["nobody is", name].join())\n}\n',
  'public/some file ü.txt': 'a text\n',
}

const withReturns = Object.fromEntries(
  Object.entries(SOURCES).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]),
)
const exported = Object.fromEntries(Object.entries(withReturns).filter(([path]) => /fixed|layout|public/.test(path)))

const TEST = `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestSite } from 'hydrant/test'

const site = await createTestSite()
after(() => site.close())

test('the site has a page, and a failure has its place', async () => {
  assert.match((await site.page('/')).html, /home/)
  assert.equal((await site.page('/fails')).status, 500)
  assert.match(JSON.stringify(site.failures[0].error.stack), /parts\\/find\\.ts/)
})
`

const PRODUCTION = { NODE_ENV: 'production' }

await prepareWindows()
const folder = createSitesFolder(t)
const dir = await createSystemSite(folder, 'win32', 'a site', withReturns)
const linux = await createSystemSite(folder, 'linux', 'a site', withReturns)
const hydrant = (words: readonly string[], node: keyof typeof NODE = 22) => hydrantOnWindows(words, { cwd: dir, node })

t.test('hydrant build builds the same as on Linux', async (t) => {
  for (const [system, site] of [
    ['win32', dir],
    ['linux', linux],
  ] as const) {
    const { code, output } = await runHydrant(system, site, ['build'])
    t.equal(code, 0, output)
  }
  const manifest = (site: string) => JSON.parse(readFileSync(join(site, '.hydrant/manifest.json'), 'utf8'))
  t.strictSame(manifest(dir), manifest(linux))
  t.strictSame(walk(join(dir, '.hydrant')), walk(join(linux, '.hydrant')))
  t.equal(readFileSync(join(dir, 'hydrant-env.d.ts'), 'utf8'), readFileSync(join(linux, 'hydrant-env.d.ts'), 'utf8'))
})

t.test('hydrant start serves what the site has, until Ctrl+C', async (t) => {
  const { origin, interrupt, waitFor } = await serveOnWindows(t, ['start'], { cwd: dir, env: PRODUCTION })
  const get = (path: string) => fetch(origin + path, { headers: { accept: 'text/html' } })
  const textOf = async (path: string) => (await get(path)).text()

  t.match(await textOf('/'), 'home')
  t.match(await textOf('/gr%C3%B6%C3%9Fe/a%20b'), 'size <!-- -->a b')
  t.match(await textOf('/api'), '{"greeting":"hello"}')
  t.match(await textOf('/some%20file%20%C3%BC.txt'), 'a text')
  t.equal((await get('/none')).status, 404)
  t.equal((await get('/..%5Cpackage.json')).status, 404)
  t.equal((await get('/_hydrant/assets/..%5C..%5Cmanifest.json')).status, 404)
  const [, icon = ''] = /href="([^"]+\.svg)"/.exec(await textOf('/')) ?? []
  t.match(await textOf(icon), '<svg')
  t.equal(await textOf('/stored'), await textOf('/stored'))
  t.match(await textOf('/fixed'), 'fixed')

  const body = new FormData()
  body.set('file', new File(['the contents'], 'a ü.txt'))
  const posted = await fetch(`${origin}/form`, { method: 'POST', body, headers: { accept: 'text/html' } })
  t.match(await posted.text(), 'a ü.txt,the contents')

  t.equal((await get('/fails')).status, 500)
  const [line] = await waitFor(/^.*nobody is,kim.*$/m)
  t.match(JSON.parse(line), { err: { stack: 'at find (parts/find.ts:4:9)\n    at load (pages/fails.server.ts:4:10)' } })
  t.match(await interrupt(), { code: 0, output: 'stopped: all requests are finished' })
})

t.test('a failure has the fingerprint that it has on Linux', async (t) => {
  const [, fingerprint = ''] = /^(\w{8}) /m.exec((await hydrant(['errors'])).output) ?? []
  const program = `'${await fetchNode(NODE[22])}' node_modules/hydrant/dist/scripts/cli.js start --port 0`
  const env = { ...createUserEnv(), ...PRODUCTION, HYDRANT_ADMIN: 'false' }
  const { origin, stop } = await startCommand(program, { cwd: linux, env })
  t.teardown(stop)
  const response = await fetch(`${origin}/fails`, { headers: { accept: 'text/html' } })
  t.match(await response.text(), new RegExp(`${fingerprint}-\\w+`))
  t.match(fingerprint, /^\w{8}$/)
})

t.test('hydrant errors reads the ledger in a file, with the driver of each version of Node.js', async (t) => {
  for (const node of [20, 22] as const) {
    const { code, output } = await hydrant(['errors'], node)
    t.equal(code, 0)
    t.match(output, 'parts/find.ts:4')
    t.match(output, '1 failure, seen once. Ledger: Z:\\')
  }
  const { output } = await hydrant(['info'], 20)
  t.match(output, 'driver: @photostructure/sqlite')
})

t.test('hydrant start with workers serves until Ctrl+C', async (t) => {
  const words = ['start', '--workers', '2']
  const { origin, interrupt, output } = await serveOnWindows(t, words, { cwd: dir, env: PRODUCTION })
  const pids = new Set<string>()
  for (let count = 0; count < 8; count++) {
    const response = await fetch(`${origin}/fails`, { headers: { accept: 'text/html', connection: 'close' } })
    t.equal(response.status, 500)
  }
  await until(() => output().split('nobody is,kim').length > 16)
  for (const [, pid = ''] of output().matchAll(/"pid":(\d+).*nobody is,kim/g)) pids.add(pid)
  t.equal(pids.size, 2)
  t.match(await interrupt(), { code: 0, output: 'stopped: all requests are finished' })
})

for (const words of [['start'], ['start', '--workers', '2']]) {
  t.test(`Ctrl+Break ends hydrant ${words.join(' ')} when its requests are finished`, async (t) => {
    const { origin, output, waitFor, pressBreak } = await serveOnWindows(t, words, { cwd: dir, env: PRODUCTION })
    const slow = fetch(`${origin}/slow`)
    await waitFor(/^slow$/m)
    const pids = new Set([...output().matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid)))
    t.equal(pids.size, words.length === 1 ? 1 : 3)
    const { code, output: all } = await pressBreak(pids)
    t.equal(code, 0)
    t.match(all, '"signal":"SIGBREAK"')
    t.match(all, 'stopped: all requests are finished')
    t.equal(await (await slow).text(), 'done')
  })
}

t.test('Ctrl+Break ends hydrant dev, and leaves no folder behind', async (t) => {
  const { origin, pressBreak } = await serveOnWindows(t, ['dev'], { cwd: dir })
  const pid = await (await fetch(`${origin}/pid`)).text()
  t.match(await pressBreak([Number(pid)]), { code: 0 })
  t.notOk(readdirSync(dir).some((name) => name.startsWith('.hydrant-dev')))
})

t.test('hydrant/test builds and serves the site for tests', async (t) => {
  for (const node of [20, 22] as const) {
    rmSync(join(dir, '.hydrant'), { recursive: true })
    writeFileSync(join(dir, 'site.test.js'), TEST)
    const { code, output } = await runWindows(['site.test.js'], { cwd: dir, node })
    t.equal(code, 0, output)
    t.match(output, /^# pass 1$/m)
  }
})

t.test('hydrant export writes the files that it writes on Linux', async (t) => {
  for (const system of ['win32', 'linux'] as const) {
    const site = await createSystemSite(folder, system, 'exported', exported)
    const { code, output } = await runHydrant(system, site, ['export', '--origin', 'https://example.com'])
    t.equal(code, 0, output)
  }
  const list = (system: string) => walk(join(folder, system, 'exported/export'))
  t.strictSame(list('win32'), list('linux'))
  t.ok(existsSync(join(folder, 'win32/exported/export/some file ü.txt')))
  t.ok(readdirSync(join(folder, 'win32/exported/export')).includes('fixed.html'))
})
