// Sites with symbolic links: a page, a server file, a layout, a folder of pages, a module, a stylesheet, `server.ts`, the
// configuration, and the folder of the site itself. The targets are in the site, and outside of it.

import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { serve, writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { until } from '../until.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const page = (text: string) => `export default function Page({ data }) {\n  return <p>${text} {data}</p>\n}\n`
const load = (text: string) => `export const load = () => '${text}'\n`

/** The files that links lead to, with the text that an edit changes and the page that shows it. */
const TARGETS: Record<string, { contents: string; at: string }> = {
  'site/shared/page.tsx': { contents: page('page 1'), at: '/page' },
  'outside/page.tsx': { contents: page('outside 1'), at: '/outside' },
  'outside/load.ts': { contents: load('load 1'), at: '/outside' },
  'outside/layout.tsx': {
    contents: "export default ({ children }) => <html lang='en'><body><i>layout 1</i>{children}</body></html>\n",
    at: '/page',
  },
  'outside/folder/a.tsx': { contents: page('folder 1'), at: '/folder/a' },
  'outside/folder/a.server.ts': { contents: load('folder load 1'), at: '/folder/a' },
  'outside/folder/layout.tsx': { contents: 'export default ({ children }) => <div>{children}</div>\n', at: '' },
  'outside/guard.ts': {
    contents: "export const guard = ({ reply }) => void reply.header('x-guard', 'guard 1')\n",
    at: '/folder/none',
  },
  'outside/text.ts': { contents: "export const text: string = 'text 1'\n", at: '/' },
  'outside/plugin.ts': {
    contents: "export default async (app) => app.get('/plugin', () => 'plugin 1')\n",
    at: '/plugin',
  },
  'outside/config.ts': { contents: "export default { base: '/one', ledger: false, csp: false }\n", at: '' },
  'outside/style.css': { contents: 'p { --style: 1 }\n', at: '' },
}

const LINKS = {
  'pages/page.tsx': '../shared/page.tsx',
  'pages/again.tsx': '../shared/page.tsx',
  'pages/outside.tsx': '../../outside/page.tsx',
  'pages/outside.server.ts': '../../outside/load.ts',
  'pages/layout.tsx': '../../outside/layout.tsx',
  'pages/folder': '../../outside/folder',
  'pages/folder/layout.server.ts': '../guard.ts',
  'lib/text.ts': '../../outside/text.ts',
  'server.ts': '../outside/plugin.ts',
  'hydrant.config.ts': '../outside/config.ts',
  'pages/style.css': '../../outside/style.css',
}

const INDEX = `import './style.css'
import { text } from '../lib/text.ts'
export default function Page() {\n  return <p>{text}</p>\n}\n`

/** Returns the folder around the site, which is reached through a link, too. */
function writeLinked(t: Test): string {
  const contents = Object.entries(TARGETS).map(([path, target]) => [path, target.contents] as const)
  const dir = createSite(t, { ...Object.fromEntries(contents), 'site/pages/index.tsx': INDEX })
  rmSync(join(dir, 'pages'), { recursive: true })
  for (const [path, target] of Object.entries(LINKS)) {
    mkdirSync(dirname(join(dir, 'site', path)), { recursive: true })
    symlinkSync(target, join(dir, 'site', path))
  }
  mkdirSync(join(dir, 'deep/er'), { recursive: true })
  symlinkSync('../../site', join(dir, 'deep/er/link'))
  return dir
}

/** Returns the text of a response, and that of the header from the guard. */
function textOf({ headers, body }: { headers: Record<string, unknown>; body: string }): string {
  return `${headers['x-guard'] ?? ''}\n${body}`
}

/** Returns the pages of a site that lack the text of a file which a link leads to. */
async function findMissing(read: (path: string) => Promise<string>, number: number): Promise<string[]> {
  const cases = Object.entries(TARGETS).filter(([, { at }]) => at !== '')
  const texts = cases.map(async ([file, { contents, at }]) => {
    const [text = ''] = /[\w ]+ 1\b/.exec(contents) ?? []
    return (await read(at)).replaceAll('<!-- -->', '').includes(text.replace('1', String(number)))
      ? []
      : [`${file} at ${at}`]
  })
  return (await Promise.all(texts)).flat()
}

t.test('a build follows the links', async (t) => {
  const dir = writeLinked(t)
  const { exports } = await buildSharing({ dir: join(dir, 'deep/er/link') })
  for (const [file, name] of [
    ['pages/page.tsx', 'default'],
    ['pages/again.tsx', 'default'],
    ['pages/outside.server.ts', 'load'],
    ['pages/folder/a.server.ts', 'load'],
    ['pages/folder/layout.server.ts', 'guard'],
  ] as const)
    t.strictSame(exports.get(file), [name], file)
  const { get } = await serve(t, join(dir, 'deep/er/link'))
  const read = async (path: string) => textOf(await get(path === '/' ? '/one' : `/one${path}`))
  t.strictSame(await findMissing(read, 1), [])
  t.match((await get('/one/again')).body, 'page 1')
  const manifest = JSON.parse(readFileSync(join(dir, 'site/.hydrant/manifest.json'), 'utf8'))
  t.equal(manifest.modules['pages/index.tsx'].css.length, 1)
})

t.test('hydrant dev follows the links, and shows edits of their targets', async (t) => {
  const dir = writeLinked(t)
  const dev = startCli(t, ['dev', join(dir, 'deep/er/link'), '--port', '0', '--host', '127.0.0.1'])
  const [, origin = ''] = await dev.waitFor(/ at (http:\/\/[^/\s]+)/)
  let base = '/one'
  const read = async (path: string) => {
    const response = await fetch(`${origin}${base}${path}`, { headers: { accept: 'text/html' } })
    return textOf({ headers: Object.fromEntries(response.headers), body: await response.text() })
  }
  t.strictSame(await findMissing(read, 1), [])

  for (const [path, { contents, at }] of Object.entries(TARGETS)) {
    writeFiles(dir, { [path]: contents.replaceAll(' 1', ' 2') })
    if (at !== '') await until(async () => (await findMissing(read, 2)).every((line) => !line.startsWith(path)))
  }
  t.strictSame(await findMissing(read, 2), [])
  t.match(await read('/again'), 'page 2')
  const [, sheet = ''] = /href="([^"]+\.css)"/.exec(await read('/')) ?? []
  t.match(await (await fetch(origin + sheet)).text(), '--style: 2')

  rmSync(join(dir, 'site/pages/page.tsx'))
  symlinkSync('../../outside/folder/a.tsx', join(dir, 'site/pages/page.tsx'))
  await until(async () => (await read('/page')).includes('folder 2'))
  writeFiles(dir, { 'outside/config.ts': "export default { base: '/two', ledger: false, csp: false }\n" })
  base = '/two'
  await until(async () => (await read('/page')).includes('folder 2'))
})
