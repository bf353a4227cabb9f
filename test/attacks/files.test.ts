// Attacks that read files which must never be served: path traversal in its spellings (CVE-2021-41773 and
// CVE-2021-42013 are the encoded and the double encoded one), dot files, source maps, the server's own code,
// databases next to the site.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findFailing } from '../find-failing.ts'
import { buildForBrowser, JSON_ONLY, serve, writeFiles } from '../server/served.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'

const SECRET = 'NOT-FOR-VISITORS'

const dir = await buildForBrowser(t.testdir({}), {
  'pages/index.tsx': "import './index.css'\nexport default function Page() {\n  return <p>page</p>\n}\n",
  'pages/index.css': '.a { color: red }\n',
  'pages/index.server.ts': `export const load = () => ({ length: ${JSON.stringify(SECRET)}.length })\n`,
  'server.ts': `export default async (app) => void app.decorate('own', ${JSON.stringify(SECRET)})\n`,
  'hydrant.config.ts': `export default { release: ${JSON.stringify(SECRET)} }\n`,
  'public/robots.txt': 'User-agent: *\n',
  'public/deep/file.txt': 'deep',
  'public/.env': SECRET,
  'public/.git/config': SECRET,
  'public/deep/.htpasswd': SECRET,
  'public/.well-known/security.txt': 'Contact: mailto:somebody@example.com\n',
  'public/.well-known/.env': SECRET,
})
writeFiles(dir, {
  '.env': SECRET,
  'hydrant-errors.db': SECRET,
  'hydrant-errors.db-wal': SECRET,
  'package.json': JSON.stringify({ description: SECRET }),
})

const build = join(dir, '.hydrant')
const maps = readdirSync(join(build, 'maps'))
const FILES = [
  '.env',
  '.git/config',
  'deep/.htpasswd',
  '.well-known/.env',
  'hydrant-errors.db',
  'hydrant-errors.db-wal',
  'package.json',
  'hydrant.config.ts',
  'server.ts',
  'pages/index.server.ts',
  '.hydrant/manifest.json',
  '.hydrant/server/index.mjs',
  'manifest.json',
  'server/index.mjs',
  'server/index.mjs.map',
  'server/config.mjs',
  `maps/${maps[0]}`,
  ...maps.slice(0, 1),
  'etc/passwd',
]

const UPS = [
  '../',
  '..%2f',
  '..%2F',
  '%2e%2e/',
  '%2e%2e%2f',
  '.%2e/',
  '%2E%2E%5C',
  '..\\',
  '..%5c',
  '%252e%252e%252f',
  '%25%32%65%25%32%65%2f',
  '..%255c',
  '%c0%ae%c0%ae/',
  '..%c0%af',
  '%e0%80%ae%e0%80%ae/',
  '..;/',
  '..%3b/',
  '..%00/',
  '..%0d/',
  '.../',
  '....//',
  '..../',
  '..//',
  './../',
  '%u002e%u002e/',
  '%uff0e%uff0e/',
]
const ROOTS = ['/', '/_hydrant/assets/', '/_hydrant/', '/.well-known/', '/deep/']
const TIMES = [0, 1, 2, 4, 9]

/** The contents of each file, or their beginning. */
const LEAK = /NOT-FOR-VISITORS|"buildId"|sourcesContent|"mappings"|root:x:0|SQLite format/

t.test('the files that must not be read exist', async (t) => {
  const files = ['manifest.json', 'server/index.mjs', 'server/index.mjs.map', 'server/config.mjs']
  t.strictSame(
    files.filter((file) => !existsSync(join(build, file))),
    [],
  )
  t.not(maps.length, 0)
})

t.test('no spelling of a path leads out of the public files', async (t) => {
  const { app, get } = await serve(t, dir, { ledger: false })
  const leaked: string[] = []
  const broken: string[] = []
  for (const root of ROOTS) {
    for (const up of UPS) {
      for (const times of TIMES) {
        for (const file of FILES) {
          if (times === 0 && up !== UPS[0]) continue
          const url = root + up.repeat(times) + file
          const { statusCode, body } = await app.inject({ url, headers: JSON_ONLY })
          // The response `["load"]` is fine: it tells a page of the site to load the URL as a document.
          if (LEAK.test(body) || (statusCode === 200 && body !== '["load"]\n')) leaked.push(`${statusCode} ${url}`)
          if (statusCode >= 500) broken.push(`${statusCode} ${url}`)
        }
      }
    }
  }
  t.strictSame(leaked, [])
  t.strictSame(broken, [])
  t.equal((await get('/robots.txt')).body, 'User-agent: *\n', 'what is public is served')
  t.equal((await get('/deep/file.txt')).body, 'deep')
})

t.test('nor does a path that a client would have normalized before sending it', async (t) => {
  const { send } = await listenRaw(t, (await serve(t, dir, { ledger: false })).app)
  const targets = ROOTS.flatMap((root) =>
    ['../', '../../', '..\\', '/../', './/..//', '/etc/../../', '\u00c0\u00ae\u00c0\u00ae/'].flatMap((up) =>
      ['.env', '.hydrant/manifest.json', 'manifest.json', 'server/index.mjs'].map((file) => root + up + file),
    ),
  )
  targets.push(
    `/${dir}/.env`,
    `//${dir}/.env`,
    `file://${dir}/.env`,
    `${dir}/.hydrant/manifest.json`,
    '/proc/self/environ',
  )
  const failing = await findFailing(targets, async (target) => {
    const answer = await send(rawRequest(`GET ${target} HTTP/1.1`, ['Host: a', 'Accept: */*']))
    const isRefused = [308, 400, 403, 404].includes(parseRaw(answer).status)
    return LEAK.test(answer) || !isRefused ? answer : undefined
  })
  t.strictSame(failing, [])
})

const TAILS = [
  '',
  '/',
  '.',
  '%00',
  '%00.txt',
  '%20',
  '~',
  '.bak',
  '.map',
  '.br',
  '.gz',
  '::$DATA',
  '?raw',
  '?import',
  '%23',
  '%3f',
  ';.css',
]

t.test('no extension gets a source map, a compressed copy or a source from the assets', async (t) => {
  const { app, get } = await serve(t, dir, { ledger: false })
  const scripts = readdirSync(join(build, 'client')).filter((name) => name.endsWith('.js'))
  t.not(scripts.length, 0)
  const assets = [...scripts, ...maps].flatMap((name) => TAILS.map((tail) => ({ name, tail })))
  const failing = await findFailing(assets, async ({ name, tail }) => {
    const { statusCode, body } = await app.inject({
      url: `/_hydrant/assets/${name}${tail}`,
      headers: { accept: '*/*' },
    })
    const isItself = scripts.includes(name) && (tail === '' || tail.startsWith('?') || ['.br', '.gz'].includes(tail))
    if (!isItself && statusCode !== 404) return statusCode
    return LEAK.exec(body)?.[0]
  })
  t.strictSame(failing, [])
  const folders = [
    '/_hydrant',
    '/_hydrant/',
    '/_hydrant/assets',
    '/_hydrant/assets/',
    '/deep',
    '/deep/',
    '/.well-known/',
  ]
  const lists = async (path: string) => /file\.txt|security\.txt|\.js"/.exec((await get(path, JSON_ONLY)).body)?.[0]
  t.strictSame(await findFailing(folders, lists), [], 'no folder is listed')
})

t.test('neither a range nor a condition reaches further', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const ranges = [
    'bytes=0-999999',
    'bytes=-1',
    'bytes=5-2',
    'bytes=0-0,1-1,2-2',
    `bytes=${'0-,'.repeat(2_000)}`,
    'x=1',
    'bytes=-9e9',
  ]
  const failing = await findFailing(ranges, async (range) => {
    const { statusCode, body } = await app.inject({ url: '/robots.txt', headers: { range } })
    const isExpected = statusCode === 416 || ([200, 206].includes(statusCode) && 'User-agent: *\n'.includes(body))
    return isExpected ? undefined : { statusCode, body }
  })
  t.strictSame(failing, [])
})
