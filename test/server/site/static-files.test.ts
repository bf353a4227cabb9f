import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { buildForBrowser, type Files, HTML, JSON_ONLY, serve } from '../served.ts'

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
  for (const [path, type, body] of [
    ['/robots.txt', 'text/plain; charset=utf-8', 'User-agent: *\n'],
    ['/icons/a%20b.svg', 'image/svg+xml', '<svg/>'],
    ['/%C3%BCber.txt', 'text/plain; charset=utf-8', 'über'],
    ['/.well-known/security.txt', 'text/plain; charset=utf-8', 'Contact: mailto:somebody@example.com\n'],
    ['/.well-known/acme-challenge/a%20b', 'application/octet-stream', 'a token'],
    ['/index.html', 'text/html; charset=utf-8', '<p>a file</p>'],
  ] as const) {
    const response = await get(path)
    t.equal(response.statusCode, 200, path)
    t.equal(response.headers['content-type'], type)
    t.equal(response.body, body)
    t.match(response.headers['x-request-id'], /\S/)
    t.equal((await get(path, { ...HTML, 'if-none-match': String(response.headers.etag) })).statusCode, 304)
    const head = await app.inject({ method: 'HEAD', url: path })
    t.equal(head.statusCode, 200)
    t.equal(head.body, '')
  }
  t.match((await get('/')).body, '<p>long ', 'an index.html takes no page’s place')
  t.match((await get('/other.txt')).body, '<output>other.txt</output>', 'what is no file is a page’s')
})

t.test('dot files are not served', async (t) => {
  for (const path of [
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
  ]) {
    const response = await get(path)
    t.notMatch(response.body, 'PUBLIC-SECRET', path)
  }
})

t.test('.well-known is served below a base, and if it is the only folder', async (t) => {
  const one = await serve(t, dir, { base: '/shop' })
  t.match((await one.get('/shop/.well-known/security.txt')).body, 'Contact:')
  t.match((await one.get('/shop/robots.txt')).body, 'User-agent')
  const two = await serve(t, await buildForBrowser(t.testdir({}), { 'public/.well-known/change-password': 'here' }))
  t.equal((await two.get('/.well-known/change-password')).body, 'here')
})

t.test('assets are immutable and were compressed by the build', async (t) => {
  for (const name of client.filter((file) => /\.(js|css)$/.test(file))) {
    const url = `/_hydrant/assets/${name}`
    const plain = await app.inject(url)
    t.equal(plain.statusCode, 200, name)
    t.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    t.match(plain.headers['content-type'], name.endsWith('.js') ? 'javascript' : 'text/css')
    t.notOk('content-encoding' in plain.headers)
    for (const [encoding, end, decode] of [
      ['br', 'br', brotliDecompressSync],
      ['gzip', 'gz', gunzipSync],
    ] as const) {
      if (!client.includes(`${name}.${end}`)) continue
      const packed = await app.inject({ url, headers: { 'accept-encoding': encoding } })
      t.equal(packed.headers['content-encoding'], encoding)
      t.match(packed.headers.vary, /accept-encoding/i)
      t.ok(decode(packed.rawPayload).equals(plain.rawPayload), 'the same inside')
      t.ok(packed.rawPayload.length < plain.rawPayload.length)
    }
    t.match(
      (await app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } })).headers['content-encoding'],
      client.includes(`${name}.br`) ? 'br' : undefined,
    )
  }
  const packed = client.find((name) => name.endsWith('.js.br')) ?? ''
  t.not(packed, '')
  for (const [accepted, encoding] of [
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['identity', undefined],
    ['zstd', undefined],
    ['', undefined],
    [';;,,=', undefined],
  ] as const) {
    const url = `/_hydrant/assets/${packed.slice(0, -3)}`
    const answer = await app.inject({ url, headers: { 'accept-encoding': accepted } })
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['content-encoding'], encoding, accepted)
    t.match(answer.headers.vary, /accept-encoding/i, accepted)
  }
})

t.test('a missing asset is not a page and is not stored', async (t) => {
  for (const accept of [HTML, JSON_ONLY, { accept: '*/*' }]) {
    const response = await get('/_hydrant/assets/entry-AAAAAAAA.js', accept)
    t.equal(response.statusCode, 404)
    t.equal(response.headers['cache-control'], 'no-store')
    t.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
    t.equal(response.body, 'There is no such asset.\n')
    const other = await get('/_hydrant/no-such-thing/entry-AAAAAAAA.js', accept)
    t.equal(other.statusCode, 404)
    t.notMatch(other.headers['content-type'], 'text/plain', 'no other 404 looks like it')
  }
})

t.test('a browser asks for a missing asset again, which may reach a replica that has it', async (t) => {
  const chrome = { 'sec-fetch-dest': 'script', referer: 'http://localhost/' }
  const url = '/_hydrant/assets/AAAAAAAA.js'
  let path = url
  for (let times = 1; times <= 12; times++) {
    const { statusCode, headers } = await get(path, chrome)
    t.equal(statusCode, 307)
    t.match(headers, { 'cache-control': 'no-store', location: `?try=${times}`, 'access-control-allow-origin': '*' })
    t.equal(headers.connection, 'close', 'another connection may lead to another replica')
    path = url + headers.location
  }
  const last = await get(path, chrome)
  t.equal(last.statusCode, 200)
  t.match(last.headers, { 'cache-control': 'no-store', 'content-type': 'text/javascript; charset=utf-8', vary: '*' })
  t.match(last.body, /location\.reload\(\)/, 'the script of a document loads it again')

  const module = 'http://localhost/_hydrant/assets/BBBBBBBB.js'
  for (const [path, headers, status] of [
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
  ] as const)
    t.equal((await get(`/_hydrant/assets${path}`, headers)).statusCode, status, path + JSON.stringify(headers))
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
    for (const accept of ['*/*', 'text/html']) {
      const beyond = await app.inject({ url, headers: { accept, range: `bytes=${length}-` } })
      t.equal(beyond.statusCode, 416, url)
      t.equal(beyond.headers['content-range'], `bytes */${length}`)
      t.equal(beyond.headers['cache-control'], 'no-store')
      t.match(beyond.body, 'Range Not Satisfiable')
    }
    const changed = await app.inject({ url, headers: { 'if-match': '"another"' } })
    t.equal(changed.statusCode, 412, url)
  }
})

t.test('no other file of the build or the site can be requested', async (t) => {
  const inside = ['manifest.json', 'server/index.mjs', 'server/index.mjs.map', 'server/config.mjs']
  for (const file of inside) t.ok(existsSync(join(folder, file)), file)
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
  for (const name of readdirSync(join(folder, 'maps')))
    t.equal((await get(`/_hydrant/assets/${name}`)).statusCode, 404, name)
})

t.test('a file that was removed after the build is a 404', async (t) => {
  const served = await serve(t, await buildForBrowser(t.testdir({}), site))
  rmSync(join(t.testdirName, '.hydrant/public/robots.txt'))
  const response = await served.get('/robots.txt')
  t.equal(response.statusCode, 404)
})
