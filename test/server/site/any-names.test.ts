// Pages whose names have characters that URLs encode.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exportSite } from '../../../scripts/export/export-site.ts'
import { unescapeHtml } from '../../../src/server/http/headers.ts'
import { whileSharing } from '../../shared-compression.ts'
import { buildFiles, buildForBrowser, serve } from '../served.ts'

const NAMES = [
  '日本',
  'naïve',
  'a b',
  "it's",
  'a"b',
  'a<b>c',
  'x^y',
  '`',
  '{a}',
  'a|b',
  'ÄÖÜ ß',
  '😀',
  'a&b c',
  '100€',
  '中国',
  'ø;ø',
  'e=mc²',
  '~',
  "!$'+,;=@",
]
const FOLDERS = ['bücher', 'new books']

const page = (text: string) =>
  `import { href } from 'hydrant/react'\nexport default () => <p>${text} <a href={href('/list')}>list</a></p>\n`
const routes = [...NAMES.map((name) => `/${name}`), ...FOLDERS.map((name) => `/${name}/[id]`), '/nfd-é']

const files = {
  'pages/list.tsx': `import { href } from 'hydrant/react'
export default () => <ul>{${JSON.stringify(routes)}.map((route) => <li key={route}><a href={href(route, { id: 'ä/b' })}>{route}</a></li>)}</ul>
`,
  ...Object.fromEntries(NAMES.map((name, index) => [`pages/${name}.tsx`, page(`page ${index}.`)])),
  ...Object.fromEntries(
    FOLDERS.map((name) => [`pages/${name}/[id].tsx`, 'export default ({ params }) => <p>folder {params.id}</p>\n']),
  ),
  ...Object.fromEntries(
    FOLDERS.map((name) => [`pages/${name}/layout.tsx`, 'export default ({ children }) => <div>{children}</div>\n']),
  ),
  'pages/bücher/layout.server.ts': "export const guard = ({ reply }) => void reply.header('x-guard', 'yes')\n",
  // As a file system that decomposes letters has them.
  [`pages/${'nfd-é'.normalize('NFD')}.tsx`]: page('decomposed'),
  [`pages/${'nfd-ü'.normalize('NFD')}/layout.server.ts`]:
    "export const guard = ({ reply }) => void reply.header('x-guard', 'yes')\n",
  [`pages/${'nfd-ü'.normalize('NFD')}/layout.tsx`]: 'export default ({ children }) => <div>{children}</div>\n',
}

t.test('a page may have any name that a URL can have encoded', async (t) => {
  const dir = await buildFiles(t.testdir({}), files)
  for (const base of ['', '/shop']) {
    const { get } = await serve(t, dir, { base: base || '/' })
    const { body } = await get(`${base}/list`)
    const links = [...body.matchAll(/<a href="([^"]*)"/g)].map(([, url = '']) => unescapeHtml(url))
    t.equal(links.length, routes.length)
    const unlike = links.filter((url) => url !== new URL(url, 'http://localhost').pathname)
    t.strictSame(unlike, [], 'the links are as a browser sends them')
    const failed = []
    for (const url of links) {
      const { statusCode, body } = await get(url)
      if (statusCode !== 200 || !/page \d+\.|folder|decomposed/.test(body)) failed.push([url, statusCode])
    }
    t.strictSame(failed, [])
    t.equal((await get(`${base}/b%C3%BCcher/7`)).headers['x-guard'], 'yes')
    for (const path of ['bu%CC%88cher', 'nfd-%C3%BC', 'nfd-u%CC%88'])
      t.equal((await get(`${base}/${path}/none/of/these`)).headers['x-guard'], 'yes', `${path}, decomposed or not`)
    for (const [path, status] of [
      ['/b%FCcher/7', 400],
      ['/%E6%97%A5', 404],
      ['/nai%CC%88ve', 404],
    ] as const)
      t.equal((await get(base + path)).statusCode, status, path)
  }
})

t.test('such pages are prerendered and exported', async (t) => {
  const dir = await buildForBrowser(t.testdir({}), {
    ...Object.fromEntries(
      ['日本', 'a b', 'list', 'index', 'früh'].map((name) => [
        `pages/${name}.tsx`,
        `export const prerender = true\n${page('prerendered')}`,
      ]),
    ),
    'pages/früh/[id].tsx': page('prerendered'),
    'pages/früh/[id].server.ts': "export const prerender = () => [{ params: { id: 'ä' } }, '/früh/ö']\n",
  })
  const { get } = await serve(t, dir, { pageCache: { header: true } })
  for (const path of ['/%E6%97%A5%E6%9C%AC', '/a%20b', '/fr%C3%BCh', '/fr%C3%BCh/%C3%A4', '/fr%C3%BCh/%C3%B6'])
    t.match(await get(path), { body: 'prerendered', headers: { 'hydrant-cache': 'hit' } }, path)
  await whileSharing(() => exportSite({ dir, origin: 'https://site.example', inFolders: false }))
  const names = ['日本.html', 'a b.html', 'früh.html', 'früh/ä.html', 'früh/ö.html']
  t.strictSame(
    names.filter((name) => !existsSync(join(dir, 'export', name))),
    [],
  )
})
