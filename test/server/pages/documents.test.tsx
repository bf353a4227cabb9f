import type { FastifyInstance, FastifyReply } from 'fastify'
import { type ReactNode, Suspense, use } from 'react'
import t from 'tap'
import { HttpError, type LoadContext, notFound } from '../../../src/server/index.ts'
import { listenRaw, parseRaw, rawRequest } from '../../attacks/raw.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { marked } from '../lines.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const loadSlow = () => ({ slow: new Promise<string>((resolve) => setImmediate(resolve, 'slow')) })
const Slow = ({ slow }: ReturnType<typeof loadSlow>) => <b>{use(slow)}</b>
const Later = ({ data }: { data: ReturnType<typeof loadSlow> }) => (
  <Suspense fallback={<i>wait</i>}>
    <Slow {...data} />
  </Suspense>
)
const cookiesOf = (reply: FastifyReply): string[] => Reflect.get(reply, 'cookies')
const counts = { renders: 0, loads: 0 }

const site = {
  '/': {},
  '/static': () => <p>static</p>,
  '/data': {
    Component: ({ data }: { data: { text: string } }) => <p>{data.text}</p>,
    load: ({ url }: LoadContext) => ({ text: `one ${url.searchParams.get('q') ?? ''}` }),
  },
  '/stream': { Component: Later, load: loadSlow },
  '/whole': { Component: Later, load: loadSlow, stream: false },
  '/cached': {
    Component: Later,
    load({ reply }: LoadContext) {
      reply.header('cache-control', 'public, max-age=60')
      return loadSlow()
    },
  },
  '/unstored': {
    Component: Later,
    load({ reply }: LoadContext) {
      reply.header('cache-control', 'no-store, private')
      return loadSlow()
    },
  },
  '/created': {
    load({ reply }: LoadContext) {
      reply.code(201)
      return {}
    },
  },
  '/counted': {
    Component() {
      counts.renders++
      return <p>counted</p>
    },
    load: () => ({ loads: ++counts.loads }),
  },
  '/cookie': {
    Component: Later,
    load({ reply }: LoadContext) {
      cookiesOf(reply).push('session=abc; Path=/')
      return loadSlow()
    },
  },
  '/vary': { load: ({ reply }: LoadContext) => void reply.header('vary', 'Cookie') },
  '/fails': {
    load({ reply }: LoadContext) {
      reply.header('cache-control', 'public, max-age=60').header('etag', '"mine"').code(201)
      throw new Error('no')
    },
  },
}

async function server(app: FastifyInstance) {
  app.decorateReply('cookies')
  app.addHook('onRequest', async (_request, reply) => void Object.assign(reply, { cookies: [] }))
  app.addHook('onSend', async (_request, reply) => {
    for (const cookie of cookiesOf(reply)) reply.header('set-cookie', cookie)
  })
}

const { app, get, log } = await testSite(t, site, { server })

const CRAWLER = {
  accept: 'text/html',
  'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
}
/** Headers that differ between responses. */
const withoutOwn = (headers: object) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(
        ([name]) =>
          !['date', 'x-request-id', 'etag', 'content-length', 'transfer-encoding', 'connection', 'keep-alive'].includes(
            name,
          ),
      )
      .map(([name, value]) => [name, String(value).replace(/nonce-[^']*/, 'nonce')]),
  )

t.test('a page that waits for nothing is sent whole', async (t) => {
  for (const path of ['/static', '/data']) {
    const response = await get(path)
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], 'text/html; charset=utf-8')
    t.equal(Number(response.headers['content-length']), Buffer.byteLength(response.body))
    t.match(response.headers.etag, /^W\/"[\w-]+"$/)
    t.equal(response.headers['cache-control'], 'private, no-cache')
    t.equal(response.headers.vary, 'Accept, Accept-Encoding')
    t.match(response.headers['x-request-id'], /^\S+$/)
    t.match(response.body, /^<!DOCTYPE html><html lang="en"><head>.*<\/head><body>.*<\/body><\/html>$/s)
  }
})

t.test(
  'a streamed document announces that it streams and when it is complete; a whole document announces neither',
  async (t) => {
    const { body } = await get('/stream')
    const notices = body.match(/\.push\(\[0,.*?\]\)/g)
    t.same(
      notices,
      ['.push([0,"open",15000])', '.push([0,"end"])'],
      'the default deadline and five seconds for the way',
    )
    t.match(body, /\.push\(\[0,"end"\]\)<\/script><\/body><\/html>$/s)
    for (const path of ['/static', '/data', '/whole', '/cached']) t.notMatch((await get(path)).body, '.push([0', path)
    t.notMatch((await get('/stream', CRAWLER)).body, '.push([0', 'for a crawler')
  },
)

t.test('the policy allows only the scripts of the document', async (t) => {
  const { headers, body } = await get('/data')
  const policy = String(headers['content-security-policy'])
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
  t.match(
    policy,
    /^script-src 'nonce-[A-Za-z0-9+/]{24}' 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'$/,
  )
  const scripts = body.match(/<script[^>]*>/g) ?? []
  t.ok(scripts.length > 0)
  t.strictSame(
    scripts.filter((script) => !script.includes(`nonce="${nonce}"`)),
    [],
  )
  t.notMatch((await get('/data')).body, nonce, 'another document has another nonce')
})

t.test('a document that has not changed is not sent again', async (t) => {
  const { etag } = (await get('/data')).headers
  const known = await findFailing(
    [String(etag), `"x", ${etag}`, '*', ` ${etag} `],
    async (candidate) => {
      const { statusCode, body, headers } = await get('/data', { ...HTML, 'if-none-match': candidate })
      const hasId = /^\S+$/.test(String(headers['x-request-id'] ?? ''))
      // The stored document has the policy that it came with.
      const policy = headers['content-security-policy']
      return {
        statusCode,
        body,
        etag: headers.etag,
        caching: headers['cache-control'],
        vary: headers.vary,
        policy,
        hasId,
      }
    },
    () => ({
      statusCode: 304,
      body: '',
      etag,
      caching: 'private, no-cache',
      vary: 'Accept, Accept-Encoding',
      policy: undefined,
      hasId: true,
    }),
  )
  t.strictSame(known, [])
  const unknown = await findFailing(
    ['"x"', '', 'W/"x"', String(etag).slice(0, -1)],
    async (candidate) => (await get('/data', { ...HTML, 'if-none-match': candidate })).statusCode,
    () => 200,
  )
  t.strictSame(unknown, [])
  t.not((await get('/data?q=other')).headers.etag, etag, 'another document has another tag')
})

t.test('a page that waits streams', async (t) => {
  const response = await get('/stream')
  t.equal(response.statusCode, 200)
  t.match(response.body, '<i>wait</i>')
  t.match(response.body, '<b>slow</b>')
  t.match(response.headers, { 'cache-control': 'no-store', 'x-accel-buffering': 'no', vary: 'Accept, Accept-Encoding' })
  for (const name of ['etag', 'content-length']) t.notOk(name in response.headers, name)
})

t.test('deferred data arrives in one part with the component that waited for it, and with the end', async (t) => {
  const { send } = await listenRaw(t, app)
  const { body } = parseRaw(await send(rawRequest('GET /stream HTTP/1.1', ['Host: localhost', 'Accept: text/html'])))
  // The parts of the transfer encoding: a length, then the part.
  const [, shell = '', , rest = '', ...end] = body.split('\r\n')
  t.match(shell, '<i>wait</i>')
  t.match(rest, /\.push\(\[1,"value".*<b>slow<\/b>.*\.push\(\[0,"end".*<\/html>$/s)
  t.same(end, ['0', '', ''])
})

t.test('a page is sent whole if it asks for that, if it may be stored, or for a crawler', async (t) => {
  for (const [path, headers] of [
    ['/whole', HTML],
    ['/cached', HTML],
    ['/stream', CRAWLER],
  ] as const) {
    const response = await get(path, headers)
    t.match(response.body, '<b>slow</b>')
    t.equal(Number(response.headers['content-length']), Buffer.byteLength(response.body), path)
    t.match(response.headers.etag, /^W\//)
    t.equal(response.headers['cache-control'], path === '/cached' ? 'public, max-age=60' : 'private, no-cache')
    t.notOk('x-accel-buffering' in response.headers)
    const again = await get(path, { ...headers, 'if-none-match': String(response.headers.etag) })
    t.equal(again.statusCode, 304, 'and is as good as unchanged')
  }
  t.notOk('etag' in (await get('/unstored')).headers, 'what must not be kept streams')
})

t.test('another status set by the load stays, without an ETag', async (t) => {
  const response = await get('/created')
  t.equal(response.statusCode, 201)
  t.notOk('etag' in response.headers)
})

t.test('HEAD has the status and headers of GET and renders nothing', async (t) => {
  const own = (answer: object) => {
    const { 'x-error-digest': digest, ...others } = withoutOwn(answer)
    return { ...others, digest: digest?.slice(0, 8) }
  }
  for (const headers of [HTML, JSON_ONLY, CRAWLER]) {
    const [heads, wanted]: [unknown[], unknown[]] = [[], []]
    for (const path of [
      '/static',
      '/data',
      '/stream',
      '/whole',
      '/cached',
      '/created',
      '/vary',
      '/nowhere',
      '/static/',
      '/fails',
      '/cookie',
    ]) {
      const head = await app.inject({ method: 'HEAD', url: path, headers })
      const full = await get(path, headers)
      heads.push([path, head.statusCode, own(head.headers), head.body])
      wanted.push([path, full.statusCode, own(full.headers), ''])
    }
    t.strictSame(heads, wanted, JSON.stringify(headers))
  }
  const head = await app.inject({ method: 'HEAD', url: '/counted', headers: HTML })
  t.equal(head.statusCode, 200)
  t.equal(counts.renders, 0, 'no component has run')
  t.equal(counts.loads, 1, 'the load has, as it decides')
  await get('/counted')
  t.equal(counts.renders, 1)
})

t.test('a failure removes the headers that the load set for the page', async (t) => {
  const response = await get('/fails')
  t.equal(response.statusCode, 500)
  t.equal(response.headers['cache-control'], 'no-store')
  t.notOk('etag' in response.headers)
})

t.test('Vary keeps the values of the site', async (t) => {
  t.equal((await get('/vary')).headers.vary, 'Cookie, Accept, Accept-Encoding')
})

t.test('a cookie that the load of a streamed page sets is sent', async (t) => {
  const response = await get('/cookie')
  t.match(response.body, '<b>slow</b>')
  t.equal(response.headers['set-cookie'], 'session=abc; Path=/')
})

t.test('every response has the id of its request', async (t) => {
  const ids: unknown[] = []
  for (const path of ['/static', '/stream', '/nowhere', '/static/', '/fails', '/_hydrant/assets/none.js', '/%zz']) {
    for (const headers of [HTML, JSON_ONLY]) {
      ids.push((await get(path, headers)).headers['x-request-id'])
    }
  }
  t.strictSame(
    ids.map((id) => typeof id),
    Array(14).fill('string'),
  )
  t.equal(new Set(ids).size, 14, 'each its own')
  t.equal(
    (await app.inject({ method: 'OPTIONS', url: '/static' })).headers['x-request-id'] !== undefined,
    true,
    'OPTIONS',
  )
})

t.test('a response that depends on Accept has Vary', async (t) => {
  const paths = ['/static', '/data', '/stream', '/nowhere', '/fails', '/%zz']
  const failing = await findFailing(
    paths.flatMap((path) => [HTML, JSON_ONLY].map((headers) => ({ path, headers }))),
    async ({ path, headers }) => {
      const vary = String((await get(path, headers)).headers.vary)
      return vary.includes('Accept') ? undefined : vary
    },
  )
  t.strictSame(failing, [])
})

t.test('one warning names a root layout that does not render <html>', async (t) => {
  const { get, log } = await testSite(t, {
    '/layout': ({ children }: { children: ReactNode }) => <main>{children}</main>,
    '/': {},
    '/a': () => <p>a</p>,
    '/fails': {
      load() {
        throw new Error('fails')
      },
    },
  })
  // In development, the layouts around an error may not be loaded.
  await get('/fails')
  t.match((await get('/a')).body, /^<main><p>a<\/p><\/main>/)
  await get('/')
  const codes = (lines: typeof log.lines) => lines.filter(({ level }) => level === 40)
  t.match(codes(log.lines), [
    { code: 'HYD_LAYOUT_HTML', msg: /^pages\/layout\.tsx does not render <html>.* first one was \/a\. / },
  ])
  t.equal(codes(log.lines).length, 1)

  const other = await testSite(t, {
    '/layout': ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <body>{children}</body>
      </html>
    ),
    '/b': () => <p>b</p>,
  })
  t.match((await other.get('/b')).body, /^<!DOCTYPE html><html lang="en">/)
  t.strictSame(codes(other.log.lines), [])
})

t.test('only problems are logged', async (t) => {
  const before = log.lines.length
  for (const path of ['/static', '/data', '/stream', '/whole']) await get(path)
  t.strictSame(log.lines.slice(before), [])
})

function refuse(): never {
  throw new HttpError(403, 'Members only')
}

/** Returns data whose promise rejects after the shell, with what a function throws. */
const loadRefused = (thrower: () => never) => () => ({ slow: loadSlow().slow.then(thrower) })

t.test('a refusal is one line, also after the shell', async (t) => {
  function Refusing({ slow }: ReturnType<typeof loadSlow>) {
    use(slow)
    return refuse()
  }
  const { get, log } = await testSite(t, {
    '/read': { Component: Later, load: loadRefused(refuse) },
    '/unread': { load: loadRefused(refuse) },
    '/whole': { Component: Later, load: loadRefused(refuse), stream: false },
    '/unknown': { Component: Later, load: loadRefused(notFound) },
    '/component': {
      Component: ({ data }: { data: ReturnType<typeof loadSlow> }) => (
        <Suspense fallback={<i>wait</i>}>
          <Refusing {...data} />
        </Suspense>
      ),
      load: loadSlow,
    },
  })
  const navigation = { ...HTML, ...navigationHeaders() }
  const requests = [
    { path: '/read', headers: HTML, refused: [403] },
    { path: '/read', headers: JSON_ONLY, refused: [403] },
    { path: marked('/read'), headers: navigation, refused: [403] },
    { path: '/unread', headers: HTML, refused: [403] },
    { path: '/whole', headers: HTML, refused: [403] },
    { path: '/unknown', headers: HTML, refused: [404] },
    { path: marked('/unknown'), headers: navigation, refused: [404] },
    { path: '/component', headers: HTML, refused: [403] },
    { path: marked('/component'), headers: navigation, refused: [] },
  ]
  const failing = await findFailing(
    requests,
    async ({ path, headers }) => {
      await get(path, headers)
      return log.lines.splice(0).map(({ level, method, url, route, statusCode, msg }) => ({
        line: { level, method, url, route, statusCode },
        msg,
      }))
    },
    ({ path, refused }) => {
      const url = path.replace('?_hydrant', '')
      return refused.map((statusCode) => ({
        line: { level: 30, method: 'GET', url, route: url, statusCode },
        msg: `refused with ${statusCode}: ${statusCode === 403 ? 'Members only' : 'This page could not be found.'}`,
      }))
    },
  )
  t.strictSame(failing, [])
})
