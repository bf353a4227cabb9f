// Pages that the build has rendered. Each page shows the process that has rendered it: the build uses one of its own.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import t from 'tap'
import type { PrerenderedIndex } from '../../../../src/server/cache/prerendered-pages.ts'
import type { CreateServerOptions } from '../../../../src/server/create-server.ts'
import { BUILD_HEADER, LAYOUTS_HEADER, NAVIGATION_MARK } from '../../../../src/shared/wire/navigation-protocol.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'pages/index.tsx': `export default function Page({ data }) {
  return <main><link rel="canonical" href={data.url} /><a href={data.share}>share</a><p>by {data.pid}</p></main>
}
`,
  'pages/index.server.ts': `let runs = 0
export const prerender = true
export const load = ({ url }) => ({
  pid: process.pid,
  runs: ++runs,
  url: url.href,
  share: 'https://share.example/?url=' + encodeURIComponent(url.href) + '&host=' + url.host,
})
`,
  'pages/news/layout.tsx': 'export default ({ children }) => <section>{children}</section>\n',
  'pages/news/[id].tsx': 'export default ({ data }) => <p>{data.id} by {data.pid}</p>\n',
  'pages/news/[id].server.ts': `export const prerender = async () => [{ params: { id: 7 } }, '/news/8', { params: { id: 'ä/b' } }, '/news/8']
let runs = 0
export const load = ({ params }) => ({ id: params.id, pid: process.pid, runs: ++runs, text: 'x'.repeat(2000) })
`,
  'pages/away.tsx': 'export default () => null\n',
  'pages/away.server.ts': `import { redirect } from 'hydrant'
export const prerender = true
export function load({ url }) {
  redirect(new URL('https://other.example/?from=' + encodeURIComponent(url.href)), 308)
}
`,
  'server.ts': `export default async (app) => {
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-region']) reply.header('vary', 'X-Region')
  })
}
`,
  'pages/old/[id].tsx': 'export default () => null\n',
  'pages/old/[id].server.ts': `import { redirect } from 'hydrant'
export const prerender = () => ['/old/7']
export function load({ params }) {
  redirect('/news/' + params.id + '?by=' + process.pid)
}
`,
  'pages/about.tsx': 'export const prerender = true\nexport default () => <h1>About</h1>\n',
  'pages/plain.tsx': 'export const prerender = true\nexport const hydrate = false\nexport default () => <p>plain</p>\n',
})

const own = `by <!-- -->${process.pid}<`
const folder = join(dir, '.hydrant', 'prerendered')
// The build has written it.
const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as PrerenderedIndex

const open = (options: Partial<CreateServerOptions> = {}) =>
  serve(t, dir, { ledger: false, ...options, pageCache: { header: true, ...options.pageCache } })

t.test('the build writes each form of each address once', async (t) => {
  t.strictSame(
    index.pages.map(({ route, path, forms }) => [route, path, Object.keys(forms).join(' ')]),
    [
      ['/', '/', 'html json markdown navigation1'],
      ['/about', '/about', 'html markdown navigation1'],
      ['/away', '/away', ''],
      ['/news/[id]', '/news/%C3%A4%2Fb', 'html json markdown navigation1 navigation2'],
      ['/news/[id]', '/news/7', 'html json markdown navigation1 navigation2'],
      ['/news/[id]', '/news/8', 'html json markdown navigation1 navigation2'],
      ['/old/[id]', '/old/7', ''],
      ['/plain', '/plain', 'html markdown'],
    ],
  )
  const files = index.pages.flatMap(({ forms }) => Object.values(forms))
  t.strictSame(readdirSync(folder).sort(), [...files, 'index.json'].sort())
})

t.test('a page is served as the build has rendered it, with the headers of a stored page', async (t) => {
  const { app, get } = await open()
  const head = await app.inject({ method: 'HEAD', url: '/news/7', headers: HTML })
  const { headers, body } = await get('/news/7')
  t.notMatch(body, own)
  t.match(body, '7<!-- --> by')
  t.match(headers, {
    'hydrant-cache': 'hit',
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=0, s-maxage=60, stale-while-revalidate=600',
    age: '0',
    'cache-tag': 'path:/news/7',
    vary: 'Accept, Accept-Encoding',
  })
  t.match(head.headers, { etag: headers.etag, 'content-length': String(Buffer.byteLength(body)) })
  const known = await get('/news/7', { ...HTML, 'if-none-match': String(headers.etag) })
  t.strictSame([known.statusCode, known.body], [304, ''])
  const compressed = await get('/news/7', { ...HTML, 'accept-encoding': 'br' })
  t.equal(brotliDecompressSync(compressed.rawPayload).toString(), body)
  t.match(await get('/about'), { body: '<h1>About</h1>', headers: { 'hydrant-cache': 'hit' } })
  const plain = await get('/plain')
  t.match(plain.headers['content-security-policy'], "script-src 'none'")
})

t.test('each form comes from the build', async (t) => {
  const { app, get } = await open()
  const json = await get('/news/7', JSON_ONLY)
  t.match(json.json(), { id: '7', runs: Number })
  t.not(json.json().pid, process.pid)
  t.match(json.headers['cache-control'], 'private')
  const markdown = await get('/news/7', { accept: 'text/markdown' })
  t.match(markdown.body, /^7 by \d+/)
  t.notMatch(markdown.body, `by ${process.pid}`)
  const navigate = (layouts: string, build = index.build) =>
    app.inject({ url: `/news/7?${NAVIGATION_MARK}`, headers: { [BUILD_HEADER]: build, [LAYOUTS_HEADER]: layouts } })
  const boot = /"layouts":(\[.*?\]),"leaf"/.exec((await get('/news/7')).body)?.[1] ?? '[]'
  const [root, news] = (JSON.parse(boot) as { file: string | null }[]).map(({ file }) => String(file ?? 'null'))
  for (const layouts of [root === 'null' ? '' : root, `${root} ${news}`]) {
    const navigation = await navigate(layouts ?? '')
    t.match(navigation.body, /^\["start",/)
    t.equal(navigation.headers['cache-control'], 'private, no-store')
  }
  t.match((await navigate('', 'other')).body, '["load"]')
})

t.test('the origin is the one at which the visitor sees the site, also in the hashes of the policy', async (t) => {
  const { get } = await open()
  const tags = new Set<unknown>()
  for (const host of ['shop.example', 'shop.example:8443', 'other.example']) {
    const { headers, body } = await get('/', { ...HTML, host })
    t.notMatch(body, own)
    t.notMatch(JSON.stringify(headers) + body, 'invalid')
    t.match(body, `"url":"http://${host}/"`)
    t.match(body, `<link rel="canonical" href="http://${host}/"/>`)
    t.match(body, `url=${encodeURIComponent(`http://${host}/`)}&amp;host=${host}"`)
    const scripts = [...body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text)
    t.equal(scripts.length, 3)
    for (const script of scripts) {
      const hash = createHash('sha256').update(script).digest('base64')
      t.match(headers['content-security-policy'], `'sha256-${hash}'`)
    }
    t.equal(headers.etag, `"${createHash('sha256').update(body).digest('base64url')}"`)
    tags.add(headers.etag)
    const json = (await get('/', { ...JSON_ONLY, host })).json()
    t.equal(json.url, `http://${host}/`)
  }
  t.equal(tags.size, 3)
  const https = await open({ trustProxy: true })
  const { body } = await https.get('/', { ...HTML, host: 'a.example', 'x-forwarded-proto': 'https' })
  t.match(body, 'url=https%3A%2F%2Fa.example%2F')
})

t.test('a redirect comes from the build in each form, and leads to the origin of the visitor', async (t) => {
  const { app, get } = await open()
  const { statusCode, headers } = await get('/old/7?page=2')
  const { location } = headers
  t.match(location, /^\/news\/7\?by=\d+$/)
  t.not(location, `/news/7?by=${process.pid}`)
  t.equal(statusCode, 302)
  t.match(headers, { 'hydrant-cache': 'hit', 'cache-control': 'no-store', vary: 'Accept' })
  const { headers: ofHook } = await get('/old/7', { ...HTML, 'x-region': 'eu' })
  t.equal(ofHook.vary, 'X-Region, Accept', 'the names of a hook are kept')
  const head = await app.inject({ method: 'HEAD', url: '/old/7', headers: HTML })
  t.match(head, { statusCode: 302, headers: { location } })
  t.equal((await get('/old/7', JSON_ONLY)).headers.location, location)
  const navigation = await app.inject({ url: `/old/7?${NAVIGATION_MARK}`, headers: { [BUILD_HEADER]: index.build } })
  t.strictSame([navigation.statusCode, navigation.body], [200, `["redirect","${location}"]\n`])
  const away = await get('/away', { ...HTML, host: 'shop.example' })
  t.equal(away.statusCode, 308)
  t.equal(away.headers.location, `https://other.example/?from=${encodeURIComponent('http://shop.example/away')}`)

  // Other addresses, invalidated ones and another base are rendered on demand.
  t.equal((await get('/old/8')).headers.location, `/news/8?by=${process.pid}`)
  await app.pageCache.invalidate({ path: '/old/7' })
  t.equal((await get('/old/7')).headers.location, `/news/7?by=${process.pid}`)
  const based = await open({ base: '/shop' })
  t.equal((await based.get('/shop/old/7')).headers.location, `/shop/news/7?by=${process.pid}`)
})

t.test('an address that the build does not know is rendered once, and kept', async (t) => {
  const { get } = await open()
  const first = await get('/news/9')
  t.match(first.body, own)
  t.equal(first.headers['hydrant-cache'], 'miss')
  const second = await get('/news/9?utm_source=a')
  t.strictSame([second.body, second.headers['hydrant-cache']], [first.body, 'hit'])
  t.match(second.headers, { 'cache-control': /s-maxage=60/, age: '0' })
})

t.test('another base, or other public variables, have the pages rendered at their first request', async (t) => {
  const based = await open({ base: '/shop' })
  const first = await based.get('/shop/news/7')
  t.match(first.body, own)
  t.match(first.body, '"src":"/shop/_hydrant/assets/')
  t.equal((await based.get('/shop/news/7')).headers['hydrant-cache'], 'hit')
  t.match(based.log.lines, [
    { msg: /rendered again, each at its first request: the build has the base \/, .* \/shop$/ },
  ])

  process.env.PUBLIC_SHOP = 'two'
  t.teardown(() => {
    delete process.env.PUBLIC_SHOP
  })
  const { get } = await open()
  const { body } = await get('/')
  t.match(body, own)
  t.match(body, '{"PUBLIC_SHOP":"two"}')
})

t.test('a page that was invalidated is rendered on demand from then on', async (t) => {
  const { app, get } = await open()
  t.notMatch((await get('/news/7')).body, own)
  await app.pageCache.invalidate({ path: '/news/7' })
  const { body } = await get('/news/7')
  t.match(body, own)
  t.equal((await get('/news/7')).body, body)
  t.notMatch((await get('/news/8')).body, own)
  await app.pageCache.clear()
  t.match((await get('/news/8')).body, own)
})

t.test('a visitor whose browser must not report failures gets another document', async (t) => {
  const { get } = await open({ reports: { respectPrivacySignals: true } })
  t.notMatch((await get('/')).body, own)
  const asked = await get('/', { ...HTML, dnt: '1' })
  t.match(asked.body, own)
  t.match(asked.body, '"reports":0')
})

t.test('a page that memory no longer holds is read again', async (t) => {
  const { app, get } = await open({ pageCache: { maxBytes: 10_000 } })
  for (const path of ['/news/7', '/news/8', '/news/7', '/news/8']) t.notMatch((await get(path)).body, own, path)
  t.ok(app.hasDecorator('pageCache'))
})

t.test('requests that come at the same time read a response once', async (t) => {
  const { get } = await open()
  const responses = await Promise.all(Array.from({ length: 5 }, () => get('/news/8')))
  t.equal(new Set(responses.map(({ body }) => body)).size, 1)
  for (const { headers } of responses) t.equal(headers['hydrant-cache'], 'hit')
})

t.test('a response that cannot be read is rendered, with a warning', async (t) => {
  const file = join(folder, index.pages.find(({ path }) => path === '/news/8')?.forms.html ?? '')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.slice(0, 100))
  t.teardown(() => writeFileSync(file, text))
  const { get, log } = await open()
  t.match((await get('/news/8')).body, own)
  t.match(
    log.lines.find(({ level }) => level === 40),
    { route: '/news/[id]', msg: /a prerendered page cannot be read, so it is rendered: / },
  )
})
