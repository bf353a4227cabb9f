import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { createInstance } from '../../../src/server/create-server.ts'
import { createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { findFailing } from '../../find-failing.ts'
import { buildForBrowser, builtFiles, type Files, HTML, JSON_ONLY, serve } from '../served.ts'

const site: Files = {
  'pages/index.tsx':
    "import './index.css'\nexport default function Page() {\n  return <p>{'long '.repeat(500)}</p>\n}\n",
  'pages/index.css': '.a { color: red }\n'.repeat(200),
  'pages/index.server.ts': "export const load = () => ({ secret: 'SERVER-ONLY-TEXT' && 1 })\n",
  'pages/[name].tsx': 'export default function Page({ params }) {\n  return <output>{params.name}</output>\n}\n',
  'public/robots.txt': 'User-agent: *\n',
  'public/icons/a b.svg': '<svg/>',
  'public/über.txt': 'über',
  'public/.env': 'PUBLIC-SECRET',
  'public/.well-known/security.txt': 'Contact: mailto:somebody@example.com\n',
  'public/.well-known/acme-challenge/a b': 'a token',
  'public/.well-known/.htpasswd': 'PUBLIC-SECRET',
  'public/.well-known/.git/config': 'PUBLIC-SECRET',
  'public/nested/.well-known/security.txt': 'PUBLIC-SECRET',
  'public/.well-known.txt': 'PUBLIC-SECRET',
  'public/nested/.git/config': 'PUBLIC-SECRET',
  'public/index.html': '<p>a file</p>',
  'server.ts': 'export default async function server() {}\n',
  'hydrant.config.ts': "export default { logLevel: 'info' }\n",
}

const dir = await buildForBrowser(t.testdir({}), site)
const { app, get } = await serve(t, dir)
const folder = join(dir, '.hydrant')
const client = readdirSync(join(folder, 'client'))

t.test('the files of public/ are served unchanged', async (t) => {
  const files = [
    ['/robots.txt', 'text/plain; charset=utf-8', 'User-agent: *\n'],
    ['/icons/a%20b.svg', 'image/svg+xml', '<svg/>'],
    ['/%C3%BCber.txt', 'text/plain; charset=utf-8', 'über'],
    ['/.well-known/security.txt', 'text/plain; charset=utf-8', 'Contact: mailto:somebody@example.com\n'],
    ['/.well-known/acme-challenge/a%20b', 'application/octet-stream', 'a token'],
    ['/index.html', 'text/html; charset=utf-8', '<p>a file</p>'],
  ] as const
  const failing = await findFailing(
    files,
    async ([path]) => {
      const { statusCode, headers, body } = await get(path)
      const again = await get(path, { ...HTML, 'if-none-match': String(headers.etag) })
      const head = await app.inject({ method: 'HEAD', url: path })
      return {
        statuses: [statusCode, again.statusCode, head.statusCode],
        bodies: [body, head.body],
        type: headers['content-type'],
        hasId: /\S/.test(String(headers['x-request-id'] ?? '')),
      }
    },
    ([, type, body]) => ({ statuses: [200, 304, 200], bodies: [body, ''], type, hasId: true }),
  )
  t.strictSame(failing, [])
  t.match((await get('/')).body, '<p>long ', 'an index.html takes no page’s place')
  t.match((await get('/other.txt')).body, '<output>other.txt</output>', 'what is no file is a page’s')
})

t.test('dot files are not served', async (t) => {
  const paths = [
    '/.env',
    '/%2eenv',
    '/.well-known/.htpasswd',
    '/.well-known/.git/config',
    '/.well-known/%2egit/config',
    '/nested/.well-known/security.txt',
    '/.well-known.txt',
    '/nested/.git/config',
    '/nested/%2Egit/config',
    '/icons/../.env',
  ]
  const failing = await findFailing(paths, async (path) => /PUBLIC-SECRET/.exec((await get(path)).body)?.[0])
  t.strictSame(failing, [])
})

t.test('.well-known is served below a base, and if it is the only folder', async (t) => {
  const one = await serve(t, dir, { base: '/shop' })
  t.match((await one.get('/shop/.well-known/security.txt')).body, 'Contact:')
  t.match((await one.get('/shop/robots.txt')).body, 'User-agent')
  const two = await serve(t, await buildForBrowser(t.testdir({}), { 'public/.well-known/change-password': 'here' }))
  t.equal((await two.get('/.well-known/change-password')).body, 'here')
})

t.test('assets are immutable and were compressed by the build', async (t) => {
  const assets = client.filter((file) => /\.(js|css)$/.test(file))
  const ofAssets = await findFailing(
    assets,
    async (name) => {
      const url = `/_hydrant/assets/${name}`
      const { statusCode, headers } = await app.inject(url)
      const best = await app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } })
      return {
        statusCode,
        caching: headers['cache-control'],
        type: /javascript|text\/css/.exec(String(headers['content-type']))?.[0],
        encoding: headers['content-encoding'],
        best: best.headers['content-encoding'],
      }
    },
    (name) => ({
      statusCode: 200,
      caching: 'public, max-age=31536000, immutable',
      type: name.endsWith('.js') ? 'javascript' : 'text/css',
      encoding: undefined,
      best: client.includes(`${name}.br`) ? 'br' : undefined,
    }),
  )
  t.strictSame(ofAssets, [])
  const encodings = [
    { encoding: 'br', end: 'br', decode: brotliDecompressSync },
    { encoding: 'gzip', end: 'gz', decode: gunzipSync },
  ]
  const ofCopies = await findFailing(
    encodings.flatMap((encoding) =>
      assets.filter((name) => client.includes(`${name}.${encoding.end}`)).map((name) => ({ name, ...encoding })),
    ),
    async ({ name, encoding, decode }) => {
      const url = `/_hydrant/assets/${name}`
      const plain = await app.inject(url)
      const packed = await app.inject({ url, headers: { 'accept-encoding': encoding } })
      return {
        encoding: packed.headers['content-encoding'],
        varies: /accept-encoding/i.test(String(packed.headers.vary)),
        isSame: decode(packed.rawPayload).equals(plain.rawPayload),
        isSmaller: packed.rawPayload.length < plain.rawPayload.length,
      }
    },
    ({ encoding }) => ({ encoding, varies: true, isSame: true, isSmaller: true }),
  )
  t.strictSame(ofCopies, [])
  const packed = client.find((name) => name.endsWith('.js.br')) ?? ''
  t.not(packed, '')
  const accepted = [
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['identity', undefined],
    ['zstd', undefined],
    ['', undefined],
    [';;,,=', undefined],
  ] as const
  const ofAccepted = await findFailing(
    accepted,
    async ([accept]) => {
      const url = `/_hydrant/assets/${packed.slice(0, -3)}`
      const { statusCode, headers } = await app.inject({ url, headers: { 'accept-encoding': accept } })
      return [statusCode, headers['content-encoding'], /accept-encoding/i.test(String(headers.vary))]
    },
    ([, encoding]) => [200, encoding, true],
  )
  t.strictSame(ofAccepted, [])
})

t.test('requests for assets of other builds are counted', async (t) => {
  const { recorder, read } = createRequestMetrics()
  const options = resolveOptions({ config: { ledger: false } })
  const logging = { logger: false }
  const other = await createInstance({ dir, ...builtFiles(dir), options, logging, metrics: recorder })
  t.teardown(() => other.app.close())
  const kept = 'old-BBBBBBBB.js'
  for (const name of [kept, `${kept}.br`]) writeFileSync(join(folder, 'client', name), '')
  t.teardown(() => [kept, `${kept}.br`].map((name) => rmSync(join(folder, 'client', name))))
  const ask = (name: string, headers = {}) => other.app.inject({ url: `/_hydrant/assets/${name}`, headers })
  const own = client.find((name) => name.endsWith('.js.br'))?.slice(0, -3) ?? ''
  const encoded = { 'accept-encoding': 'br' }
  for (const name of [own, kept])
    for (const headers of [{}, encoded]) t.equal((await ask(name, headers)).statusCode, 200)
  t.strictSame(read().foreignAssets, { kept: 2, missing: 0 })
  t.equal((await ask('entry-AAAAAAAA.js')).statusCode, 404)
  t.equal((await ask('wp-login.php')).statusCode, 404, 'no build has such a name')
  const browser = { 'sec-fetch-dest': 'script', referer: 'http://localhost/' }
  t.equal((await ask('entry-AAAAAAAA.js', browser)).statusCode, 307, 'another replica may have it')
  t.strictSame(read().foreignAssets, { kept: 2, missing: 1 })
})

t.test('a missing asset is not a page and is not stored', async (t) => {
  const failing = await findFailing(
    [HTML, JSON_ONLY, { accept: '*/*' }],
    async (accept) => {
      const { statusCode, headers, body } = await get('/_hydrant/assets/entry-AAAAAAAA.js', accept)
      const other = await get('/_hydrant/no-such-thing/entry-AAAAAAAA.js', accept)
      return {
        statuses: [statusCode, other.statusCode],
        caching: headers['cache-control'],
        type: headers['content-type'],
        body,
        // No other 404 looks like it.
        isOtherText: String(other.headers['content-type']).includes('text/plain'),
      }
    },
    () => ({
      statuses: [404, 404],
      caching: 'no-store',
      type: 'text/plain; charset=utf-8',
      body: 'There is no such asset.\n',
      isOtherText: false,
    }),
  )
  t.strictSame(failing, [])
})

t.test('a browser asks for a missing asset again, which may reach a replica that has it', async (t) => {
  const chrome = { 'sec-fetch-dest': 'script', referer: 'http://localhost/' }
  const url = '/_hydrant/assets/AAAAAAAA.js'
  let path = url
  const failing = await findFailing(
    Array.from({ length: 12 }, (_, index) => index + 1),
    async () => {
      const { statusCode, headers } = await get(path, chrome)
      const { location, connection, 'cache-control': caching, 'access-control-allow-origin': origin } = headers
      path = url + location
      return { statusCode, caching, location, origin, connection }
    },
    // Another connection may lead to another replica.
    (times) => ({ statusCode: 307, caching: 'no-store', location: `?try=${times}`, origin: '*', connection: 'close' }),
  )
  t.strictSame(failing, [])
  const last = await get(path, chrome)
  t.equal(last.statusCode, 200)
  t.match(last.headers, { 'cache-control': 'no-store', 'content-type': 'text/javascript; charset=utf-8', vary: '*' })
  t.match(last.body, /location\.reload\(\)/, 'the script of a document loads it again')

  const module = 'http://localhost/_hydrant/assets/BBBBBBBB.js'
  const others = [
    ['/logo-AAAAAAAA.png', { 'sec-fetch-dest': 'image' }, 307],
    ['/AAAAAAAA.css', { referer: 'http://localhost/' }, 307],
    ['/AAAAAAAA.js', { 'sec-fetch-dest': 'worker' }, 307],
    ['/AAAAAAAA.js?try=12', { 'sec-fetch-dest': 'worker', referer: 'http://localhost/' }, 404],
    ['/AAAAAAAA.js?try=12', { 'sec-fetch-dest': 'script', referer: module }, 404],
    ['/AAAAAAAA.css?try=12', { 'sec-fetch-dest': 'style', referer: 'http://localhost/' }, 404],
    ['/AAAAAAAA.css?try=12', { referer: 'http://localhost/' }, 404],
    ['/AAAAAAAA.js?try=12', { referer: 'http://localhost/' }, 200],
    ['/AAAAAAAA.js?try=1e9', chrome, 200],
    ['/AAAAAAAA.js?try=11.5', chrome, 307],
    ['/AAAAAAAA.js?try=&try=12', chrome, 307],
    ['/AAAAAAAA.js?try=x', chrome, 404],
    ['/AAAAAAAA.js?try=-Infinity', chrome, 404],
    ['/AAAAAAAA.js?try=12', {}, 404],
    ['/wp-login.php', chrome, 404],
    ['/AAAAAAAA.js', { 'sec-fetch-dest': 'document', referer: module }, 404],
  ] as const
  const ofOthers = await findFailing(
    others,
    async ([path, headers]) => (await get(`/_hydrant/assets${path}`, headers)).statusCode,
    ([, , status]) => status,
  )
  t.strictSame(ofOthers, [])
})

t.test('assets can be read from any origin, as a sandboxed frame has one of its own', async (t) => {
  const script = client.find((name) => name.endsWith('.js'))
  const { headers } = await get(`/_hydrant/assets/${script}`)
  t.equal(headers['access-control-allow-origin'], '*')
  t.equal((await get('/robots.txt')).headers['access-control-allow-origin'], undefined, 'not files of public/')
})

t.test('a range that a file does not have is a 416 with its length, a failed precondition a 412', async (t) => {
  const script = client.find((name) => name.endsWith('.js'))
  for (const url of [`/_hydrant/assets/${script}`, '/robots.txt']) {
    const { length } = (await app.inject(url)).rawPayload
    const part = await app.inject({ url, headers: { range: 'bytes=2-3' } })
    t.equal(part.statusCode, 206, url)
    t.equal(part.headers['content-range'], `bytes 2-3/${length}`)
    const failing = await findFailing(
      ['*/*', 'text/html'],
      async (accept) => {
        const beyond = await app.inject({ url, headers: { accept, range: `bytes=${length}-` } })
        const { 'content-range': range, 'cache-control': caching } = beyond.headers
        return [beyond.statusCode, range, caching, beyond.body.includes('Range Not Satisfiable')]
      },
      () => [416, `bytes */${length}`, 'no-store', true],
    )
    t.strictSame(failing, [], url)
    const changed = await app.inject({ url, headers: { 'if-match': '"another"' } })
    t.equal(changed.statusCode, 412, url)
  }
})

t.test('no other file of the build or the site can be requested', async (t) => {
  const inside = ['manifest.json', 'server/index.mjs', 'server/index.mjs.map', 'server/config.mjs']
  t.strictSame(
    inside.filter((file) => !existsSync(join(folder, file))),
    [],
  )
  const files = [
    ...inside,
    `maps/${readdirSync(join(folder, 'maps'))[0]}`,
    'server.ts',
    'pages/index.server.ts',
    'public/.env',
  ]
  const ups = [
    '',
    '../',
    '..%2f',
    '%2e%2e/',
    '%2e%2e%2f',
    '..%5c',
    '%252e%252e%252f',
    '..;/',
    '%00/',
    '../../',
    '..%2f..%2f',
    '../../../',
  ]
  const leaked: string[] = []
  for (const root of ['/', '/_hydrant/', '/_hydrant/assets/', '/.hydrant/', '/icons/']) {
    for (const up of ups) {
      for (const file of files) {
        const url = root + up + file
        const { statusCode, body } = await app.inject({ url, headers: JSON_ONLY })
        if (statusCode < 400 && statusCode !== 308) leaked.push(`${statusCode} ${url}`)
        if (/SERVER-ONLY-TEXT|PUBLIC-SECRET|"buildId"|sourcesContent/.test(body)) leaked.push(url)
      }
    }
  }
  t.strictSame(leaked, [])
})

t.test('a folder is not a file and has no listing', async (t) => {
  for (const path of ['/_hydrant/assets', '/_hydrant/assets/', '/icons/', '/nested/']) {
    const response = await get(path, JSON_ONLY)
    t.ok([404, 406, 308].includes(response.statusCode), `${path}: ${response.statusCode}`)
    t.notMatch(response.body, /\.(js|svg)/)
  }
})

t.test('the maps of browser files are in the build, not among the assets', async (t) => {
  t.ok(existsSync(join(folder, 'maps')))
  t.strictSame(
    client.filter((name) => name.endsWith('.map')),
    [],
  )
  const failing = await findFailing(
    readdirSync(join(folder, 'maps')),
    async (name) => (await get(`/_hydrant/assets/${name}`)).statusCode,
    () => 404,
  )
  t.strictSame(failing, [])
})

t.test('a file that was removed after the build is a 404', async (t) => {
  const served = await serve(t, await buildForBrowser(t.testdir({}), site))
  rmSync(join(t.testdirName, '.hydrant/public/robots.txt'))
  const response = await served.get('/robots.txt')
  t.equal(response.statusCode, 404)
})
