import { once } from 'node:events'
import { connect } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { type LoadContext, redirect } from '../../../src/server/index.ts'
import type { LayoutProps, PageProps } from '../../../src/shared/react.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const Params = ({ params }: PageProps) => <output>{JSON.stringify(params)}</output>
const From = ({ data }: { data: { from: string } }) => <output>{data.from}</output>
const layout =
  (name: string) =>
  ({ children, data, params }: LayoutProps) => (
    <section title={`${name} ${JSON.stringify(data ?? null)}${JSON.stringify(params)}`}>{children}</section>
  )

/** The targets of redirects, by the name of their page. */
const redirects: Record<string, (url: URL) => never> = {
  plain: () => redirect('/about'),
  status: () => redirect('/about', 308),
  query: () => redirect('/about?a=1#b'),
  relative: () => redirect('about'),
  hostile: (url) => redirect(url.searchParams.get('to') ?? ''),
  outside: () => redirect(new URL('https://other.example/x?y')),
  script: () => redirect(new URL('javascript:alert(1)')),
  // Wrong on purpose, as a JavaScript caller could pass it.
  'wrong-status': () => redirect('/about', 200 as 302),
}

const site = {
  '/': () => <p>home</p>,
  '/about': () => <p>about</p>,
  '/echo/[id]': {
    Component: Params,
    load: ({ params, url }: LoadContext) => ({ params, path: url.pathname, search: url.search }),
  },
  '/echo/[id]/parts/[part]': Params,
  '/echo/new': () => <output>new</output>,
  '/act/[id]': { action: () => ({ done: true }) },
  '/docs/index': () => <output>docs</output>,
  '/docs/[...path]': { Component: Params, load: ({ params }: LoadContext) => params },
  '/(shop)/layout': layout('shop'),
  '/(shop)/basket': () => <output>basket</output>,
  '/(shop)/sale/layout': {
    Component: layout('sale'),
    load: ({ params }: LoadContext) => ({ from: 'sale', params }),
  },
  '/(shop)/sale/[id]/layout': { Component: layout('item'), load: () => ({ from: 'item' }) },
  '/(shop)/sale/[id]/index': { Component: From, load: () => ({ from: 'page' }) },
  '/context': {
    Component: ({ data }: PageProps) => <output>{JSON.stringify(data)}</output>,
    load: (ctx: LoadContext) => ({
      names: Object.keys(ctx).sort(),
      ip: typeof ctx.request.ip,
      decorated: [ctx.app, ctx.request, ctx.reply].map((from) => Object.assign({ word: '' }, from).word).join(''),
      aborted: ctx.signal.aborted,
      isSignal: ctx.signal instanceof AbortSignal,
      href: ctx.url.href,
      same: Object.is(ctx.signal, ctx.signal),
    }),
  },
  ...Object.fromEntries(
    Object.entries(redirects).map(([name, leave]) => [`/go/${name}`, { load: ({ url }: LoadContext) => leave(url) }]),
  ),
}
async function server(app: FastifyInstance) {
  app.decorate('word', 'hello ')
  app.decorateRequest('word', 'world')
  app.decorateReply('word', '!')
}
const { app, get, failuresOf } = await testSite(t, site, { server })

/** Returns the element's text as JSON. */
const output = (body: string): unknown =>
  JSON.parse(
    (/<output>(.*?)<\/output>/.exec(body)?.[1] ?? 'null')
      .replaceAll('&quot;', '"')
      .replaceAll('&#x27;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )

/** Sends a request line unchanged, which no client library would do. */
async function sendRaw(path: string): Promise<{ status: number; location: string | undefined; body: string }> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  socket
    .setEncoding('latin1')
    .write(`GET ${path} HTTP/1.1\r\nHost: shop.example\r\nAccept: text/html\r\nConnection: close\r\n\r\n`)
  let text = ''
  socket.on('data', (part) => {
    text += String(part)
  })
  await once(socket, 'close')
  return { status: Number(text.slice(9, 12)), location: /^location: (.*?)\r$/im.exec(text)?.[1], body: text }
}

t.test('parameters are decoded once', async (t) => {
  const wrong: unknown[] = []
  for (const [path, id] of [
    ['/echo/5', '5'],
    ['/echo/a%20b', 'a b'],
    ['/echo/a%2Fb', 'a/b'],
    ['/echo/%2541', '%41'],
    ['/echo/%25', '%'],
    ['/echo/%E6%BC%A2', '漢'],
    ['/echo/a+b', 'a+b'],
    ['/echo/%3Cscript%3E', '<script>'],
    ['/echo/...%2fetc', '.../etc'],
    ['/echo/__proto__', '__proto__'],
  ] as const) {
    const { statusCode, body } = await get(path)
    const seen = [statusCode, output(body), (await get(`${path}?q=%20`, JSON_ONLY)).json()]
    const data = { params: { id }, path: path.replaceAll('%2f', '%2F'), search: '?q=%20' }
    if (!isDeepStrictEqual(seen, [200, { id }, data])) wrong.push([path, seen])
  }
  t.strictSame(wrong, [])
  t.equal((await get('/echo/..%2f..%2fetc')).statusCode, 400, 'a proxy may resolve the segments')
  t.strictSame(output((await get('/echo/a%2Fb/parts/c%2541')).body), { id: 'a/b', part: 'c%41' })
})

t.test('a fixed segment takes precedence over a parameter', async (t) => {
  t.match((await get('/echo/new')).body, '<output>new</output>')
})

t.test('a catch-all contains the rest of the path', async (t) => {
  t.match((await get('/docs')).body, '<output>docs</output>')
  const paths = [
    ['/docs/a', 'a'],
    ['/docs/a/b/c', 'a/b/c'],
    ['/docs/a%2Fb/c', 'a/b/c'],
    ['/docs/%2541', '%41'],
  ] as const
  const failing = await findFailing(
    paths,
    async ([path]) => [output((await get(path)).body), (await get(path, JSON_ONLY)).json()],
    ([, rest]) => [{ path: rest }, { path: rest }],
  )
  t.strictSame(failing, [])
})

t.test('a URL that cannot be decoded is refused', async (t) => {
  const failing = await findFailing(
    ['/echo/%zz', '/%', '/docs/%E0%A4%A', '/echo/%ff'],
    async (path) => {
      const document = await get(path, HTML)
      const problem = await get(path, JSON_ONLY)
      const { status, title, instance } = problem.json()
      return {
        statuses: [document.statusCode, problem.statusCode],
        caching: [document.headers['cache-control'], problem.headers['cache-control']],
        type: String(document.headers['content-type']).split(';')[0],
        problem: { status, title, instance },
      }
    },
    (path) => ({
      statuses: [400, 400],
      caching: ['no-store', 'no-store'],
      type: 'text/html',
      problem: { status: 400, title: 'Bad Request', instance: path },
    }),
  )
  t.strictSame(failing, [])
})

t.test('groups add layouts and nothing to the URL', async (t) => {
  const { body } = await get('/basket')
  t.match(body, /<section title="shop null\{\}"><output>basket<\/output><\/section>/)
  t.equal((await get('/(shop)/basket')).statusCode, 404)
  t.equal((await get('/shop/basket')).statusCode, 404)
})

t.test('layouts are nested, each with its own data', async (t) => {
  const body = (await get('/sale/5')).body.replaceAll('&quot;', '"')
  t.match(
    body,
    '<section title="shop null{"id":"5"}"><section title="sale {"from":"sale","params":{"id":"5"}}{"id":"5"}"><section title="item {"from":"item"}{"id":"5"}"><output>page</output></section></section></section>',
  )
  t.strictSame((await get('/sale/5', JSON_ONLY)).json(), { from: 'page' }, 'as JSON only the page’s')
})

t.test('a load gets Fastify’s own objects', async (t) => {
  const data = (await get('/context?a=1', { ...JSON_ONLY, host: 'shop.example:8080' })).json()
  t.strictSame(data, {
    names: ['app', 'context', 'log', 'params', 'reply', 'request', 'search', 'signal', 'url'],
    ip: 'string',
    decorated: 'hello world!',
    aborted: false,
    isSignal: true,
    href: 'http://shop.example:8080/context?a=1',
    same: true,
  })
})

t.test('redirects lead to the load’s target', async (t) => {
  for (const [name, status, location] of [
    ['plain', 302, '/about'],
    ['status', 308, '/about'],
    ['query', 302, '/about?a=1#b'],
    ['relative', 302, '/go/about'],
    ['outside', 302, 'https://other.example/x?y'],
  ] as const) {
    for (const accept of [HTML, JSON_ONLY]) {
      const { statusCode, headers, body } = await get(`/go/${name}`, accept)
      const { location: seen, 'cache-control': caching, 'content-type': type } = headers
      t.strictSame([statusCode, seen, caching, type, body], [status, location, 'no-store', undefined, ''], name)
    }
  }
})

t.test('a redirect to a value from the request stays on the site', async (t) => {
  const targets = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '\n//evil.example',
    'https://evil.example/x',
    'HTTPS:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '///evil.example',
    '/%09/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    './/evil.example',
    '/a/..//evil.example',
    'x/../..//evil.example',
    '/\u2028/evil.example',
    ' //evil.example',
    '//evil.example@shop.example',
    '/@evil.example',
    '',
    '?next=//evil.example',
    '#//evil.example',
    '/a\r\nSet-Cookie: x=1',
    '/漢',
  ]
  const failing = await findFailing(targets, async (to) => {
    const response = await get(`/go/hostile?to=${encodeURIComponent(to)}`)
    const { location } = response.headers
    if (location === undefined) {
      const [failure] = failuresOf(response)
      return /redirect\(".*"\) would leave the site/.test(failure?.err?.message ?? '') ? undefined : failure
    }
    const { origin } = new URL(location, 'https://shop.example/go/hostile')
    return origin === 'https://shop.example' && /^\/(?![/\\])[\x21-\x7e]*$/.test(location) ? undefined : location
  })
  t.strictSame(failing, [])
  for (const name of ['script', 'wrong-status']) {
    const response = await get(`/go/${name}`)
    t.equal(response.statusCode, 500)
    t.notOk('location' in response.headers)
    t.match(failuresOf(response), [
      { err: { message: name === 'script' ? /would leave the site/ : /the status of redirect\(\) must be/ } },
    ])
  }
})

t.test('a slash at the end redirects to the URL without it', async (t) => {
  const paths = [
    ['/about/', '/about'],
    ['/about//', '/about'],
    ['/about/?a=/', '/about?a=/'],
    ['/nowhere/', '/nowhere'],
    ['/echo/5/', '/echo/5'],
    ['/echo/', '/echo'],
    ['/docs/', '/docs'],
    ['/docs/a/b//?c', '/docs/a/b?c'],
  ] as const
  const failing = await findFailing(
    paths,
    async ([path]) => {
      const { statusCode, headers } = await get(path)
      const head = await app.inject({ method: 'HEAD', url: path, headers: HTML })
      return [statusCode, headers.location, head.headers.location]
    },
    ([, location]) => [308, location, location],
  )
  t.strictSame(failing, [])
  t.equal((await get('/')).statusCode, 200)
  t.equal((await get('/?a=/')).statusCode, 200)
  t.equal((await get('/echo//parts/x')).statusCode, 404, 'a parameter has at least one character')
  t.equal(
    (await app.inject({ method: 'POST', url: '/nowhere/', headers: HTML })).statusCode,
    404,
    'a post is not sent elsewhere',
  )
  const post = (url: string) => app.inject({ method: 'POST', url, headers: HTML, payload: '' })
  t.same([(await post('/act/1')).statusCode, (await post('/act/')).statusCode], [200, 404])
})

t.test('no path leads to another host', async (t) => {
  const paths = [
    '//evil.example/',
    '///evil.example/',
    '//evil.example/%2e%2e/',
    '/\\evil.example/',
    '/\\/evil.example/',
    '//evil.example//',
    '/%5cevil.example/',
    '/%2F/evil.example/',
    'http://evil.example/about/',
    'http://evil.example//other.example/',
  ]
  const failing = await findFailing(paths, async (path) => {
    const { status, location = '/' } = await sendRaw(path)
    const { origin } = new URL(location, 'http://shop.example/')
    const isRight = [308, 404, 400].includes(status) && origin === 'http://shop.example'
    return isRight ? undefined : { status, location }
  })
  t.strictSame(failing, [])
})

t.test('a request target with a host is read by its path', async (t) => {
  const { status, body } = await sendRaw('http://shop.example/echo/5?q=1')
  t.equal(status, 200)
  t.match(body, '<output>{&quot;id&quot;:&quot;5&quot;}</output>')
  t.match(
    (await sendRaw('http://shop.example/context?q=1')).body,
    'href&quot;:&quot;http://shop.example/context?q=1&quot;',
  )
})

t.test('an unknown URL is the 404 page in each form', async (t) => {
  const response = await get('/nowhere')
  t.equal(response.statusCode, 404)
  t.equal(response.headers['cache-control'], 'no-store')
  t.match(response.body, 'This page could not be found.')
  t.match(response.body, '<meta name="robots" content="noindex"')
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    t.equal((await app.inject({ method, url: '/nowhere', headers: HTML })).statusCode, 404, method)
  }
})

t.test('a page refuses other methods and lists the ones that it accepts', async (t) => {
  const bodies = [
    {},
    { payload: 'a=1', type: 'application/x-www-form-urlencoded' },
    { payload: '{"a":1}', type: 'application/json' },
    { payload: '{"a":', type: 'application/json' },
    { payload: '--x--', type: 'multipart/form-data; boundary=x' },
    { payload: 'text', type: 'text/plain' },
  ]
  const wrong: unknown[] = []
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const detail = `${method} is not allowed here.`
    for (const accept of [HTML, JSON_ONLY]) {
      for (const { payload, type } of bodies) {
        const headers = { ...accept, ...(type ? { 'content-type': type } : {}) }
        const response = await app.inject({ method, url: '/about', headers, ...(payload ? { payload } : {}) })
        const { statusCode, body } = response
        const problem = { type: 'about:blank', status: 405, title: 'Method Not Allowed', detail, instance: '/about' }
        const isRight = accept === JSON_ONLY ? isDeepStrictEqual(response.json(), problem) : body.includes(detail)
        if (statusCode !== 405 || response.headers.allow !== 'GET, HEAD' || !isRight)
          wrong.push({ method, payload, type, accept: accept.accept, statusCode, body })
      }
    }
  }
  t.strictSame(wrong, [])
})
