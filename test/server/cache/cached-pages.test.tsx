import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { type RequestTimes, timesOf } from '../../../src/server/http/request-times.ts'
import {
  type CacheOptions,
  type GuardContext,
  HttpError,
  type LoadContext,
  notFound,
  perRequest,
  redirect,
} from '../../../src/server/index.ts'
import type { LayoutProps } from '../../../src/shared/react.ts'
import { BUILD_HEADER, LAYOUTS_HEADER, NAVIGATION_MARK } from '../../../src/shared/wire/navigation-protocol.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const counts: Record<string, number> = {}
const waits: Record<string, (value: unknown) => void> = {}
function count(name: string) {
  const next = (counts[name] ?? 0) + 1
  counts[name] = next
  return next
}
const Component = ({ data }: { data?: { text?: unknown } }) => <p>{String(data?.text)}</p>
const cached = (load: (ctx: LoadContext) => unknown, cache: object = { maxAgeS: 60 }) => ({ Component, cache, load })
const productCache: CacheOptions<'/products/[id]'> = {
  maxAgeS: 60,
  staleS: 60,
  tags: ({ params, search }) => [`product:${params.id}`, `page:${Object.assign({ page: 1 }, search).page}`],
  search: ['page'],
}

async function server(app: FastifyInstance) {
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-timing']) reply.header('server-timing', request.headers['x-timing'])
    if (request.headers['x-change']) delete request.headers['if-none-match']
    if (request.headers['x-public']) reply.header('cache-control', 'public, max-age=60')
    if (request.headers['x-visit']) reply.header('set-cookie', `visit=${request.headers['x-visit']}`)
  })
  // As @fastify/helmet does, whose types are not those of this decorator.
  app.decorateReply('cspNonce', null as never)
  app.addHook('onRequest', async (request, reply) => {
    if (!request.headers['x-nonces']) return
    const [script, style] = [`script-${request.id}`, `style-${request.id}`]
    Object.assign(reply, { cspNonce: { script, style } })
    reply.header('content-security-policy', `script-src 'nonce-${script}'; style-src 'nonce-${style}'`)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.headers['x-change']) return `${payload}<!-- ${request.headers['x-change']} -->`
    if (request.headers['x-cookie']) reply.header('set-cookie', `a=${request.headers['x-cookie']}`)
    return payload
  })
}

const onceOf = perRequest(({ params }: LoadContext) => `${Object.keys(params).length} once ${count('one')}`)
const cookieOf = perRequest(({ request }: LoadContext) => `${request.headers.cookie} ${count('cookies')}`)

const site = {
  '/simple': cached(() => ({ text: `run ${count('simple')}` })),
  '/long': cached(() => ({ text: 'x'.repeat(3000) + count('long') })),
  '/products/[id]': cached(
    ({ params, url }) => ({
      text: [params.id, url.search, url.href, JSON.stringify([...url.searchParams]), count('product')].join(' '),
    }),
    productCache,
  ),
  '/tagged/[city]': cached(({ params }) => ({ text: `${params.city}${count('tagged')}` }), {
    maxAgeS: 60,
    tags: ({ params }: { params: { city: string } }) => [`city:${params.city}`],
  }),
  '/slow': cached(async () => ({
    text: await new Promise((resolve) => {
      waits[`slow${count('slow')}`] = resolve
    }),
  })),
  '/refused': cached(() => ({
    text: 1,
    part: new Promise((resolve, reject) =>
      setImmediate(() => (count('refused') === 1 ? reject(new HttpError(429, 'Try later.')) : resolve('now'))),
    ),
  })),
  '/late': cached(() => ({ text: 1, part: new Promise((resolve) => setImmediate(resolve, count('late'))) })),
  '/stale': cached(
    () => {
      if (counts.staleFails) throw new Error(`down ${count('failed')}`)
      return { text: `run ${count('stale')}` }
    },
    { maxAgeS: 0, staleS: 60 },
  ),
  '/styled': {
    Component: ({ data }: { data: { text: string } }) => (
      <main>
        <style href="a" precedence="a">
          {'p { color: red }'}
        </style>
        <p>{data.text}</p>
      </main>
    ),
    cache: { maxAgeS: 0, staleS: 60 },
    load: () => ({ text: `run ${count('styled')}` }),
  },
  '/cookie': cached(({ reply }) => {
    reply.header('set-cookie', 'a=1')
    return { text: count('cookie') }
  }),
  '/private': cached(({ reply }) => {
    reply.header('cache-control', 'private, max-age=5')
    return { text: count('private') }
  }),
  '/header': cached(({ reply }) => {
    reply.header('link', '</a>; rel=preload').header('x-load', 'yes')
    return { text: `run ${count('header')}` }
  }),
  '/host': cached(({ request }) => ({ text: `${request.headers.host} ${count('host')}` })),
  '/context': cached(({ context }) => ({ text: `${Object.keys(context)} ${count('context')}` })),
  '/copies': cached((ctx) => {
    const { app, log, ...rest } = ctx
    log.info({ names: Object.keys(rest), text: inspect({ rest }), shown: `${ctx}` }, 'copies')
    return { text: `${'reply' in ctx} ${app === undefined} ${count('copies')}` }
  }),
  '/once': cached((ctx) => ({ text: `${[onceOf({ ...ctx }), onceOf(ctx)]} ${count('once')}` })),
  '/once-of': cached((ctx) => ({ text: `${[cookieOf(ctx), cookieOf(ctx)]} ${count('once-of')}` })),
  '/vary': cached(({ reply }) => {
    reply.header('vary', 'accept-language')
    return { text: count('vary') }
  }),
  '/gone': cached(() => {
    count('gone')
    notFound()
  }),
  '/moved': cached(() => {
    count('moved')
    redirect('/simple')
  }),
  '/fails': cached(() => {
    throw new Error(`fails ${count('fails')}`)
  }),
  '/guarded': {
    ...cached(() => ({ text: `members ${count('guarded')}` })),
    guard({ request }: GuardContext) {
      count('guard')
      if (request.headers['x-member'] !== 'yes') throw new HttpError(403, 'Members only.')
    },
  },
  '/declared': {
    ...cached(({ reply }) => {
      reply.header('cache-control', 'public, max-age=600')
      return { text: 'members' }
    }),
    guard({ request }: GuardContext) {
      if (request.headers['x-member'] !== 'yes') throw new HttpError(403, 'Members only.')
    },
  },
  '/throws': cached(() => ({ text: 1 }), {
    maxAgeS: 1,
    tags() {
      throw new Error('no tags')
    },
  }),
  '/badtags': cached(() => ({ text: 1 }), { maxAgeS: 1, tags: () => [7] }),
  '/framed/badtags': cached(() => ({ text: 1 }), { maxAgeS: 1, tags: () => 'a' }),
  '/framed/layout': {
    Component: ({ data, children }: LayoutProps & { data: string }) => (
      <main>
        {data}
        {children}
      </main>
    ),
    load: () => 'frame',
  },
}

const BROTLI = { ...HTML, 'accept-encoding': 'br' }

t.test('one render serves all requests that follow', async (t) => {
  const { app, get, log } = await testSite(t, site, { server })
  const first = await get('/simple')
  t.match(first.body, '<p>run 1</p>')
  t.match(first.headers, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=0, s-maxage=60',
    vary: 'Accept, Accept-Encoding',
    'x-frame-options': undefined,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cache-tag': 'path:/simple',
    etag: /^"[\w-]{43}"$/,
    age: '0',
  })
  const second = await get('/simple')
  t.equal(second.body, first.body)
  t.equal(second.headers.etag, first.headers.etag)
  t.not(second.headers['x-request-id'], first.headers['x-request-id'])
  t.equal(counts.simple, 1)

  const head = await app.inject({ method: 'HEAD', url: '/simple', headers: HTML })
  t.equal(head.body, '')
  t.match(head.headers, { etag: first.headers.etag, 'content-length': String(Buffer.byteLength(first.body)) })
  const known = await get('/simple', { ...HTML, 'if-none-match': String(first.headers.etag) })
  t.equal(known.statusCode, 304)
  t.equal(known.body, '')
  t.equal(counts.simple, 1)
  t.strictSame(
    log.lines.filter(({ level }) => level >= 40),
    [],
  )
})

t.test('the policy has the hashes of the inline scripts, and the document no nonce', async (t) => {
  const { get } = await testSite(t, site, { server })
  const { headers, body } = await get('/simple')
  const policy = String(headers['content-security-policy'])
  t.notMatch(policy, 'nonce')
  t.match(policy, "'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'")
  t.notMatch(body, 'nonce')
  const scripts = [...body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text)
  t.equal(scripts.length, 3)
  t.match(scripts[2], /"src":"\/_hydrant\/assets\/[\w.-]+"/)
  for (const script of scripts) t.match(policy, `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  t.notMatch(body, '<script type="module"')
})

t.test('each encoding is made once and has a tag of its own', async (t) => {
  const { app, get } = await testSite(t, site, { server })
  const plain = await get('/long')
  const [one, two] = await Promise.all([get('/long', BROTLI), get('/long', BROTLI)])
  t.equal(one.headers['content-encoding'], 'br')
  t.equal(brotliDecompressSync(one.rawPayload).toString(), plain.body)
  t.strictSame(two.rawPayload, one.rawPayload)
  t.equal(one.headers.etag, `${String(plain.headers.etag).slice(0, -1)}-br"`)
  t.equal(Number(one.headers['content-length']), one.rawPayload.length)
  t.equal(counts.long, 1)
  const known = await get('/long', { ...BROTLI, 'if-none-match': String(one.headers.etag) })
  t.equal(known.statusCode, 304)
  t.match(known.headers['content-security-policy'], /sha256-/)
  const head = await app.inject({ method: 'HEAD', url: '/long', headers: BROTLI })
  for (const name of ['etag', 'content-length', 'content-encoding'])
    t.equal(head.headers[name], one.headers[name], name)
  for (const accept of ['application/json', 'text/markdown'])
    t.match((await get('/long', { ...BROTLI, accept })).headers.etag, /^"[\w-]{43}(?:-br)?"$/, accept)
  const uncompressed = await testSite(t, site, { server, compress: false })
  t.equal((await uncompressed.get('/long', BROTLI)).headers['content-encoding'], undefined)
})

t.test('hooks see the text of each response; what they change is not stored', async (t) => {
  const { get } = await testSite(t, site, { server })
  await get('/long')
  const plain = await get('/long', BROTLI)
  const changed = await get('/long', { ...BROTLI, 'x-change': 'for me', 'if-none-match': String(plain.headers.etag) })
  t.equal(changed.statusCode, 200)
  t.match(brotliDecompressSync(changed.rawPayload).toString(), '<!-- for me -->')
  t.equal(changed.headers.etag, undefined)
  t.equal(changed.headers['cache-control'], 'private, no-cache')
  const cookie = await get('/long', { ...HTML, 'x-cookie': 'mine' })
  t.equal(cookie.headers['set-cookie'], 'a=mine')
  t.equal(cookie.headers['cache-control'], 'private, no-cache')
  const other = await get('/long', HTML)
  t.equal(other.headers['set-cookie'], undefined)
  t.notMatch(other.body, 'for me')
})

t.test('each form of the page is stored on its own', async (t) => {
  const { app, get } = await testSite(t, site, { server })
  const build = /"build":"([\w-]+)"/.exec((await get('/products/7')).body)?.[1] ?? ''
  const before = counts.product
  const json = await get('/products/7', JSON_ONLY)
  t.same(json.json().text.slice(0, 2), '7 ')
  t.equal((await get('/products/7', JSON_ONLY)).body, json.body)
  t.match(json.headers['cache-control'], 'private')
  const markdown = await get('/products/7', { accept: 'text/markdown' })
  t.equal((await get('/products/7', { accept: 'text/markdown' })).body, markdown.body)
  t.match(markdown.headers['content-type'], 'text/markdown')
  const navigate = (layouts: string) =>
    app.inject({ url: `/products/7?${NAVIGATION_MARK}`, headers: { [BUILD_HEADER]: build, [LAYOUTS_HEADER]: layouts } })
  const navigation = await navigate('')
  t.match(navigation.body, /^\["start",.*\n\["data",/)
  t.equal(navigation.headers['cache-control'], 'private, no-store')
  t.equal((await navigate('')).body, navigation.body)
  t.equal(counts.product, (before ?? 0) + 3)
  const outdated = await app.inject({ url: `/products/7?${NAVIGATION_MARK}`, headers: { [BUILD_HEADER]: 'other' } })
  t.equal(outdated.body, '["load"]\n')
})

t.test('only listed parameters count, and only they are visible', async (t) => {
  const { get } = await testSite(t, site, { server })
  const first = await get('/products/1?utm_source=a&page=2', JSON_ONLY)
  t.match(first.json().text, '1 ?page=2 http://localhost/products/1?page=2 [["page","2"]]')
  const second = await get('/products/1?page=2&utm_source=b', JSON_ONLY)
  t.equal(second.body, first.body)
  t.not((await get('/products/1?page=3', JSON_ONLY)).body, first.body)
  t.notMatch((await get('/products/1?utm_source=secret')).body, 'secret')
})

t.test('requests that arrive while a page is rendered wait for it', async (t) => {
  const { get } = await testSite(t, site, { server })
  const all = [get('/slow'), get('/slow'), get('/slow')]
  while (!waits.slow1) await new Promise(setImmediate)
  waits.slow1('one')
  const bodies = (await Promise.all(all)).map(({ body }) => body)
  t.match(bodies[0], '<p>one</p>')
  t.equal(new Set(bodies).size, 1)
  t.equal(counts.slow, 1)
})

t.test('an invalidation reaches stored pages and those that are being rendered', async (t) => {
  const { app, get } = await testSite(t, site, { server })
  counts.product = 0
  const one = await get('/products/5', JSON_ONLY)
  await get('/products/6', JSON_ONLY)
  await app.pageCache.invalidate({ tags: ['product:5'] })
  t.not((await get('/products/5', JSON_ONLY)).body, one.body)
  await get('/products/6', JSON_ONLY)
  t.equal(counts.product, 3)
  await app.pageCache.invalidate({ path: '/products/6' })
  await get('/products/6', JSON_ONLY)
  t.equal(counts.product, 4)

  counts.slow = 10
  const old = get('/slow')
  while (!waits.slow11) await new Promise(setImmediate)
  await app.pageCache.invalidate({ path: '/slow' })
  const fresh = get('/slow')
  while (!waits.slow12) await new Promise(setImmediate)
  waits.slow12('new')
  t.match((await fresh).body, '<p>new</p>')
  waits.slow11('old')
  t.match((await old).body, '<p>old</p>')
  t.match((await get('/slow')).body, '<p>new</p>')
})

t.test('an invalidation that would remove nothing is refused', async (t) => {
  const { app } = await testSite(t, site, { server })
  for (const [given, problem] of [
    ['product:7', 'it must be an object with "tags" or "path"; got "product:7"'],
    [['product:7'], 'it must be an object with "tags" or "path"; got ["product:7"]'],
    [{ tag: ['product:7'] }, 'it has the unknown property "tag"; did you mean "tags"?'],
    [{ tags: 'product:7' }, '"tags" must be a list of strings; got "product:7"'],
    [{ tags: [7] }, '"tags" must be a list of strings; got [7]'],
    [{ path: 'products/7' }, '"path" must be a path that begins with "/"; got "products/7"'],
    [{}, 'it must have "tags" or "path"; got neither'],
  ] as [never, string][]) {
    await t.rejects(app.pageCache.invalidate(given), {
      code: 'HYD_CACHE_INVALIDATE',
      message: `the argument of app.pageCache.invalidate() is not valid: ${problem}`,
    })
  }
  await app.pageCache.invalidate({ tags: [] })
  await app.pageCache.invalidate({ tags: ['', 'x'.repeat(1000)] })
})

t.test('a stored page has the headers that hooks set for its own request', async (t) => {
  const { get } = await testSite(t, site, { server })
  counts.simple = 0
  const first = await get('/simple', { ...HTML, 'x-timing': 'hook;dur=1' })
  t.equal(first.headers['server-timing'], 'hook;dur=1')
  const [again, timed] = [await get('/simple'), await get('/simple', { ...HTML, 'x-timing': 'hook;dur=2' })]
  for (const { headers, body } of [again, timed]) {
    t.match(body, 'run 1')
    t.match(headers['x-request-id'], /^[\dA-Z]{8}-/)
    t.not(headers['x-request-id'], first.headers['x-request-id'])
  }
  t.notOk('server-timing' in again.headers)
  t.equal(timed.headers['server-timing'], 'hook;dur=2')
})

t.test('a stale page is served while one new page is rendered; failures are recorded once', async (t) => {
  const { get, log } = await testSite(t, site, { server })
  t.match((await get('/stale')).body, 'run 1')
  t.match((await get('/stale')).body, 'run 1')
  while (counts.stale !== 2) await new Promise(setImmediate)
  counts.staleFails = 1
  const bodies = new Set<string>()
  for (let at = 0; at < 10; at++) bodies.add(/run \d/.exec((await get('/stale')).body)?.[0] ?? '')
  t.strictSame([...bodies], ['run 2'])
  t.equal(counts.failed, 1)
  t.match(log.errors(), [{ phase: 'load', statusSent: 200 }], 'the visitor has got the stale page')
})

t.test('the time of a render in the background belongs to no request', async (t) => {
  let loads = 0
  const again = cached(() => ({ text: ++loads }), { maxAgeS: 0, staleS: 60 })
  const times: RequestTimes[] = []
  const { get } = await testSite(
    t,
    { '/again': again },
    {
      server: (app: FastifyInstance) => app.addHook('onResponse', async (request) => void times.push(timesOf(request))),
    },
  )
  const bodies = [await get('/again'), await get('/again')].map(({ body }) => body)
  t.match(bodies, [/<p>1</, /<p>1</])
  while (!(await get('/again')).body.includes('<p>2<')) await new Promise(setImmediate)
  t.match(times[0]?.steps, [{ kind: 'load' }, { kind: 'data' }, { kind: 'render' }])
  t.strictSame(times[1], { steps: [], cache: 'stale', places: null, onLate: null })
})

t.test('a page that is rendered again has the hashes of its styles in the policy of a hook', async (t) => {
  const { get } = await testSite(t, site, { server })
  // As @fastify/helmet does.
  const nonces = { ...HTML, 'x-nonces': 'yes' }
  const first = await get('/styled', nonces)
  while (counts.styled !== 2) {
    await get('/styled', nonces)
    await new Promise(setImmediate)
  }
  let again = await get('/styled', nonces)
  while (!again.body.includes('run 2')) again = await get('/styled', nonces)
  for (const { headers, body } of [first, again]) {
    const style = /<style[^>]*>(.*?)<\/style>/s.exec(body)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    t.match(String(headers['content-security-policy']), `style-src 'sha256-${hash}'`)
  }
})

t.test('responses that say so, and those that are not 200, are not stored', async (t) => {
  const { get, log } = await testSite(t, site, { server })
  for (const name of ['cookie', 'private', 'vary', 'gone', 'moved', 'fails']) {
    await get(`/${name}`)
    await get(`/${name}`)
    t.equal(counts[name], 2, name)
  }
  const warnings = log.lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  t.match(warnings, [
    /pages\/cookie\.server\.ts is not stored: it reads reply\./,
    /private\.server\.ts is not stored: it reads reply\./,
    /vary\.server\.ts is not stored: it reads reply\./,
  ])
  t.equal(warnings.length, 3)
})

t.test('a cookie that a hook sets keeps one response from being stored, and no other', async (t) => {
  const { get, log } = await testSite(t, site, { server })
  counts.simple = 0
  const first = await get('/simple', { ...HTML, 'x-visit': 'one' })
  t.equal(first.headers['set-cookie'], 'visit=one')
  await get('/simple')
  const stored = await get('/simple', { ...HTML, 'x-visit': 'two' })
  t.equal(stored.headers['set-cookie'], 'visit=two')
  t.equal(stored.headers['cache-control'], 'private, no-cache')
  t.equal(counts.simple, 2)
  const warnings = log.lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  t.match(warnings, [/simple\.server\.ts is not stored: its response has the header set-cookie\./])
  t.equal(warnings.length, 1)
})

t.test('a load that touches request, reply or context makes the response the visitor’s', async (t) => {
  const { get, log } = await testSite(t, site, { server, pageCache: { header: true } })
  for (const name of ['header', 'host', 'context', 'once-of']) {
    counts[name] = 0
    for (const run of [1, 2]) {
      const { body, headers } = await get(`/${name}`, { ...HTML, cookie: `a=${run}` })
      t.match(body, ` ${run}</p>`, name)
      t.equal(headers['hydrant-cache'], 'pass', name)
      if (name === 'header') t.match(headers, { link: '</a>; rel=preload', 'x-load': 'yes' })
      if (name === 'once-of') t.match(body, `a=${run} ${run},a=${run} ${run} ${run}<`, 'the two loads share one result')
    }
  }
  const warnings = log.lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  t.match(warnings, [
    /header\.server\.ts is not stored: it reads reply\./,
    /host\.server\.ts is not stored: it reads request\./,
    /context\.server\.ts is not stored: it reads context\./,
    /once-of\.server\.ts is not stored: it reads request\./,
  ])
  t.equal(warnings.length, 4)
})

t.test('a copy of the argument, its log and perRequest do not touch the visitor', async (t) => {
  const { get, log } = await testSite(t, site, { server, pageCache: { header: true } })
  for (const [name, text] of [
    ['copies', 'true false 1'],
    ['once', '0 once 1,0 once 1 1'],
  ] as const) {
    t.match((await get(`/${name}`)).body, `<p>${text}</p>`)
    t.equal((await get(`/${name}`)).headers['hydrant-cache'], 'hit', name)
  }
  const [line] = log.lines.filter(({ msg }) => msg === 'copies')
  t.match(line, { names: ['params', 'search', 'url', 'signal'], shown: '[object Object]', reqId: /./ })
  t.equal(log.lines.filter(({ level }) => level >= 40).length, 0)
})

t.test('guards run for each request, and shared caches must not store the page', async (t) => {
  const { get } = await testSite(t, site, { server })
  const member = { ...HTML, 'x-member': 'yes' }
  const first = await get('/guarded', member)
  t.match(first.body, 'members 1')
  const again = await get('/guarded', member)
  t.equal(again.body, first.body)
  const refused = await get('/guarded')
  t.equal(refused.statusCode, 403)
  t.notMatch(refused.body, 'members 1')
  t.equal(counts.guard, 3)
  t.equal(counts.guarded, 1)
  const forms = ['application/json', 'text/markdown'].map((accept) => get('/guarded', { ...member, accept }))
  for (const { headers } of [first, again, ...(await Promise.all(forms))])
    t.equal(headers['cache-control'], 'private, no-store', 'the Back button must not show it after a sign-out')
})

t.test(
  'no cache stores a page with guards, whatever a hook says, with any page cache and in development',
  async (t) => {
    for (const given of [
      { pageCache: { maxBytes: 0 } },
      { pageCache: { maxBytes: 1_000_000 } },
      { mode: 'development' as const },
    ]) {
      const { get } = await testSite(t, site, { server, ...given })
      for (const _ of [1, 2]) {
        const { headers } = await get('/guarded', { ...HTML, 'x-member': 'yes', 'x-public': 'yes' })
        t.equal(headers['cache-control'], 'private, no-store', JSON.stringify(given))
      }
    }
  },
)

t.test('HEAD does not render a stale page again: it stores nothing', async (t) => {
  let loads = 0
  const again = cached(() => ({ text: ++loads }), { maxAgeS: 0, staleS: 60 })
  const { app, get } = await testSite(t, { '/again': again }, { server })
  await get('/again')
  for (const _ of [1, 2, 3]) {
    const { headers } = await app.inject({ method: 'HEAD', url: '/again', headers: HTML })
    t.match(headers['content-length'], /^[1-9]/)
    await new Promise(setImmediate)
  }
  t.equal(loads, 1)
  await get('/again')
  while (loads === 1) await new Promise(setImmediate)
  t.equal(loads, 2)
})

t.test('a stale page that no render is free for is sent, and nothing is refused', async (t) => {
  let [loads, sent] = [0, 0]
  let letGo = () => {}
  let isHeld = false
  const held = {
    Component,
    load: () =>
      new Promise<object>((resolve) => {
        letGo = () => resolve({})
        isHeld = true
      }),
  }
  const again = cached(() => ({ text: ++loads }), { maxAgeS: 0, staleS: 60 })
  const { get, log } = await testSite(
    t,
    { '/again': again, '/held': held },
    { limits: { maxRenders: 1 }, server: (app: FastifyInstance) => app.addHook('onSend', async () => void sent++) },
  )
  await get('/again')
  const holding = get('/held').then(({ statusCode }) => statusCode)
  while (!isHeld) await new Promise(setImmediate)
  for (const _ of [1, 2]) t.equal((await get('/again')).statusCode, 200)
  t.equal(sent, 3)
  t.equal(loads, 1)
  t.strictSame(
    log.lines.filter(({ msg }) => msg.includes('refused')),
    [],
  )
  letGo()
  t.equal(await holding, 200)
  await get('/again')
  while (loads === 1) await new Promise(setImmediate)
  t.equal(loads, 2)
})

t.test('after an action, a page sees the query that its `cache` lists', async (t) => {
  const found = {
    ...cached(({ url }) => ({ text: `for ${url.search}` }), { maxAgeS: 60, search: ['q'] }),
    action: () => ({ isDone: true }),
  }
  const { app, get } = await testSite(t, { '/found': found }, { server })
  const url = '/found?utm=1&q=tea'
  t.match((await get(url)).body, 'for ?q=tea<')
  const headers = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
  t.match((await app.inject({ method: 'POST', url, headers, payload: 'a=1' })).body, 'for ?q=tea<')
})

t.test('a load cannot let shared caches store a page with guards', async (t) => {
  const { get } = await testSite(t, site, { server })
  for (const _ of [1, 2]) {
    const { body, headers } = await get('/declared', { ...HTML, 'x-member': 'yes' })
    t.match(body, 'members')
    t.match(headers['cache-control'], 'private')
    t.notMatch(headers['cache-control'], 'public')
  }
})

t.test('a navigation whose part is refused later is not stored', async (t) => {
  const { app, get } = await testSite(t, site, { server })
  const build = /"build":"([\w-]+)"/.exec((await get('/simple')).body)?.[1] ?? ''
  const ask = () => app.inject({ url: `/refused?${NAVIGATION_MARK}`, headers: { [BUILD_HEADER]: build } })
  t.match((await ask()).body, 'Try later.')
  const { body } = await ask()
  t.notMatch(body, 'Try later.')
  t.match(body, 'now')
  t.equal((await ask()).body, body)
})

t.test('data that comes later is awaited', async (t) => {
  const { get } = await testSite(t, site, { server })
  const first = await get('/late')
  t.equal(first.headers['content-length'], String(Buffer.byteLength(first.body)))
  t.equal((await get('/late')).body, first.body)
  t.equal(counts.late, 1)
})

t.test('a tag may have any characters, which are percent-encoded in the header', async (t) => {
  const { app, get } = await testSite(t, site, { server })
  for (const city of ['Zürich, New York', '😀', 'a\r\nset-cookie: a=1']) {
    const path = `/tagged/${encodeURIComponent(city)}`
    const { body, headers } = await get(path)
    t.match(headers['cache-tag'], /^city:[!-+\--~]+,path:\/tagged\/[!-+\--~]+$/)
    t.equal((await get(path)).body, body)
    await app.pageCache.invalidate({ tags: [`city:${city}`] })
    t.not((await get(path)).body, body, city)
  }
  await app.pageCache.invalidate({ tags: ['half of a pair: \ud83d'] })
})

t.test('a tag of any length is stored, sent and invalidated', async (t) => {
  const { app, get } = await testSite(t, site, { server })
  const city = '東'.repeat(31)
  const [path, other] = [city, `${city}京`].map((name) => `/tagged/${encodeURIComponent(name)}`)
  if (path === undefined || other === undefined) throw new Error('There are two paths.')
  const { body, headers, statusCode } = await get(path)
  t.equal(statusCode, 200)
  const [tag = ''] = String(headers['cache-tag']).split(',')
  t.match(tag, /^city:(?:%[\dA-F]{2})+~[\w-]{43}$/, 'no part of an encoded character')
  t.ok(tag.length <= 256)
  const otherBody = (await get(other)).body
  t.equal((await get(path)).body, body)
  await app.pageCache.invalidate({ tags: [`city:${city}`] })
  t.not((await get(path)).body, body)
  t.equal((await get(other)).body, otherBody, 'a long tag with the same beginning')
})

t.test('an error in the tags is a failure of the page', async (t) => {
  const { get, log } = await testSite(t, site, { server })
  t.equal((await get('/throws')).statusCode, 500)
  t.equal((await get('/badtags')).statusCode, 500)
  t.match(log.errors()[1]?.err, { message: /"cache.tags" of pages\/badtags.server.ts must be a list/ })
  t.match((await get('/framed/badtags')).body, /<main>frame.*Application error/s, 'inside the layouts')
})

t.test('a cache of zero bytes stores nothing', async (t) => {
  const { get } = await testSite(t, site, { server, pageCache: { maxBytes: 0 } })
  counts.simple = 0
  const { headers } = await get('/simple')
  await get('/simple')
  t.equal(counts.simple, 2)
  t.match(headers['content-security-policy'], 'nonce')
})

for (const [rule, problem] of [
  [60, 'it must be an object; got 60'],
  [{}, '"maxAgeS" must be a number of seconds'],
  [{ maxAgeS: -1 }, 'got -1'],
  [{ maxAgeS: 1, staleS: '1' }, '"staleS" must be'],
  [{ maxAgeS: 1, maxage: 2 }, 'the unknown property "maxage"'],
  [{ maxAgeS: 1, search: 'page' }, '"search" must be a list'],
  [{ maxAgeS: 1, tags: 'a' }, '"tags" must be a list'],
] as const)
  t.test(`a rule that is not valid is refused: ${JSON.stringify(rule)}`, async (t) => {
    await t.rejects(testSite(t, { '/page': { cache: rule } }), {
      code: 'HYD_CACHE_INVALID',
      message: new RegExp(problem.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')),
    })
  })
