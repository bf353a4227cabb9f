import type { ReactNode } from 'react'
import t from 'tap'
import { HttpError, type LoadContext, notFound, redirect } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const circle: Record<string, unknown> = {}
circle.self = circle
const part = { a: 1 }
const soon = <Value,>(value: Value) => new Promise<Value>((resolve) => setImmediate(resolve, value))

const site = {
  '/layout': {
    Component: ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <body>{children}</body>
      </html>
    ),
    load: () => ({ layout: 'not in the answer' }),
  },
  '/bare': {},
  '/broken': () => {
    throw new Error('secret text')
  },
  '/stored': { cache: { maxAgeS: 60 } },
  '/kinds': {
    load: () => ({
      date: new Date(0),
      big: 12345678901234567890n,
      set: new Set([1, 2]),
      map: new Map([['a', 1]]),
      pairs: new Map([[1, 'a']]),
      url: new URL('https://a.example/b'),
      nan: Number.NaN,
      none: undefined,
      bytes: Uint8Array.of(1, 2),
      nested: [{ deep: [null] }],
    }),
  },
  '/bigs': { load: () => ({ bigs: BigInt64Array.of(1n, -2n) }) },
  '/deferred': {
    load: () => ({ now: 1, later: soon({ inner: soon([soon(2)]) }), map: new Map([['a', soon(3)]]) }),
  },
  '/text': { load: () => 'text' },
  '/nothing': { load: () => undefined },
  '/circle': { load: () => circle },
  '/shared': { load: () => [part, part] },
  '/fails': {
    load() {
      throw new Error('secret text')
    },
  },
  '/late': {
    load: () => ({
      later: soon(null).then(() => {
        throw new Error('secret text')
      }),
    }),
  },
  '/refused': {
    load() {
      throw new HttpError(403, 'Members only')
    },
  },
  '/late-refused': { load: () => ({ later: Promise.reject(new HttpError(403, 'Members only')) }) },
  '/gone': { load: () => notFound() },
  '/moved': { load: () => redirect('/kinds', 301) },
  '/kept': {
    load({ reply }: LoadContext) {
      reply.header('cache-control', 'public, max-age=5')
      return 1
    },
  },
  '/forever': { load: () => ({ a: 1, slow: { part: new Promise(() => {}) } }) },
  '/proto': { load: () => JSON.parse('{"__proto__":{"polluted":true}}') },
}

const { app, get, failuresOf } = await testSite(t, site, { pageCache: { header: true }, timeouts: { renderMs: 300 } })
const HTML_TYPE = 'text/html; charset=utf-8'
const json = (path: string) => get(path, JSON_ONLY)

t.test('a page as JSON is the data of its load', async (t) => {
  const response = await json('/kinds')
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(response.headers.vary, 'Accept, Accept-Encoding')
  t.equal(response.headers['cache-control'], 'private, no-cache')
  t.strictSame(response.json(), {
    date: '1970-01-01T00:00:00.000Z',
    big: '12345678901234567890',
    set: [1, 2],
    map: { a: 1 },
    pairs: [[1, 'a']],
    url: 'https://a.example/b',
    nan: null,
    bytes: [1, 2],
    nested: [{ deep: [null] }],
  })
})

t.test('an array of big integers is an array of their digits', async (t) => {
  const response = await json('/bigs')
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { bigs: ['1', '-2'] })
})

t.test('promises are awaited, including nested promises', async (t) => {
  t.strictSame((await json('/deferred')).json(), { now: 1, later: { inner: [2] }, map: { a: 3 } })
})

t.test('any data is a whole response', async (t) => {
  t.equal((await json('/text')).body, '"text"')
  t.equal((await json('/nothing')).body, 'null')
  t.strictSame((await json('/shared')).json(), [{ a: 1 }, { a: 1 }], 'what stands twice is no circle')
  t.equal((await json('/proto')).body, '{"__proto__":{"polluted":true}}')
  t.notOk('polluted' in {})
  t.equal((await json('/kept')).headers['cache-control'], 'private, no-cache', 'whatever a load says')
})

t.test('JSON is sent if the client prefers it', async (t) => {
  const types = { json: 'application/json; charset=utf-8', html: 'text/html; charset=utf-8' }
  const cases = [
    ['application/json', types.json],
    ['application/json, text/plain, */*', types.json],
    ['APPLICATION/JSON', types.json],
    ['application/*', types.json],
    ['text/html;q=0.5, application/json;q=0.9', types.json],
    ['text/html, application/json', types.html],
    ['text/html;q=0.9, application/json;q=0.5', types.html],
    ['*/*', types.html],
    ['text/*', types.html],
    ['image/png', types.html],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', types.html],
    ['', types.html],
    ['nonsense', types.html],
    [',;q=,', types.html],
  ] as const
  const failing = await findFailing(
    cases,
    async ([accept]) => (await get('/kinds', { accept })).headers['content-type'],
    ([, type]) => type,
  )
  t.strictSame(failing, [])
  t.equal((await app.inject('/kinds')).headers['content-type'], types.html, 'no Accept at all')
})

t.test('a page without load has no JSON', async (t) => {
  const response = await json('/bare')
  t.equal(response.statusCode, 406)
  t.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8')
  t.strictSame(response.json(), {
    type: 'about:blank',
    title: 'Not Acceptable',
    status: 406,
    detail: 'This page has no data; request text/html instead.',
    instance: '/bare',
  })
  t.equal((await get('/bare', HTML)).statusCode, 200)
})

t.test('a page without load responds with a document to a client that accepts one, too', async (t) => {
  const markdown = 'text/markdown; charset=utf-8'
  // The thread that converts to Markdown may take longer to start than the short deadlines of the other tests.
  const { app } = await testSite(t, site)
  const cases = [
    ['application/json, text/plain, */*', HTML_TYPE],
    ['text/html;q=0.5, application/json;q=0.9', HTML_TYPE],
    ['application/problem+json, text/html;q=0.9', HTML_TYPE],
    ['application/json, text/*;q=0.1', HTML_TYPE],
    ['application/json, text/markdown;q=0.9', markdown],
    ['application/json, text/html;q=0.1, text/markdown;q=0.2', markdown],
  ] as const
  const failing = await findFailing(
    cases.flatMap(([accept, type]) => (['GET', 'HEAD'] as const).map((method) => ({ method, accept, type }))),
    async ({ method, accept }) => {
      const { statusCode, headers } = await app.inject({ method, url: '/bare', headers: { accept } })
      return [statusCode, headers['content-type'], headers.vary]
    },
    ({ type }) => [200, type, 'Accept, Accept-Encoding'],
  )
  t.strictSame(failing, [])
  const refused = await findFailing(
    ['application/json', 'application/json, text/html;q=0', 'application/*', 'application/json, text/plain'],
    async (accept) => (await get('/bare', { accept })).statusCode,
    () => 406,
  )
  t.strictSame(refused, [])
})

t.test('a page without load has errors as JSON for a client that prefers JSON', async (t) => {
  const { statusCode, headers } = await get('/broken', { accept: 'application/json, */*' })
  t.equal(statusCode, 500)
  t.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
})

t.test('the page cache has one document for all clients of a page without load', async (t) => {
  for (const [accept, result] of [
    ['application/json, */*', 'miss'],
    [HTML.accept, 'hit'],
    ['application/json, */*', 'hit'],
  ] as const) {
    const { headers } = await get('/stored', { accept })
    t.equal(headers['hydrant-cache'], result, accept)
    t.equal(headers['content-type'], HTML_TYPE, accept)
  }
  t.equal((await json('/stored')).statusCode, 406)
})

const SENTENCE =
  'Application error: a server-side exception has occurred while loading localhost (see the server logs for more information).'

t.test('a failure is a problem with the digest of the log', async (t) => {
  for (const [path, phase] of [
    ['/fails', 'load'],
    ['/late', 'load'],
    ['/circle', 'load'],
  ] as const) {
    const response = await json(`${path}?q=1`)
    t.equal(response.statusCode, 500, path)
    t.match(response.headers, {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept, Accept-Encoding',
    })
    const digest = response.headers['x-error-digest']
    t.strictSame(response.json(), {
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      instance: path,
      detail: SENTENCE,
      digest,
    })
    t.notMatch(response.body, /secret|stack|\.ts/)
    const lines = failuresOf(response)
    t.equal(lines.length, 1, 'one line')
    t.match(lines[0], {
      digest,
      phase,
      method: 'GET',
      url: `${path}?q=1`,
      side: 'server',
      host: 'localhost',
      route: path,
    })
  }
})

t.test('a promise that never ends is a problem at the deadline', async (t) => {
  const response = await json('/forever')
  t.equal(response.statusCode, 504)
  t.match(response.json(), { status: 504, title: 'Gateway Timeout', digest: /^\w{8}-\w{6}$/ })
  t.match(failuresOf(response), [{ err: { message: /data\.slow\.part/ } }], 'the log names what was pending')
})

t.test('a refusal is a problem without a digest', async (t) => {
  const cases = [
    ['/refused', 403, 'Forbidden', 'Members only'],
    ['/late-refused', 403, 'Forbidden', 'Members only'],
    ['/gone', 404, 'Not Found', 'This page could not be found.'],
    ['/nowhere', 404, 'Not Found', 'This page could not be found.'],
  ] as const
  const failing = await findFailing(
    cases,
    async ([path]) => {
      const response = await json(path)
      const { 'cache-control': caching, 'x-error-digest': digest } = response.headers
      return { status: response.statusCode, body: response.json(), caching, digest, lines: failuresOf(response) }
    },
    ([instance, status, title, detail]) => ({
      status,
      body: { type: 'about:blank', title, status, instance, detail },
      caching: 'no-store',
      digest: undefined,
      lines: [],
    }),
  )
  t.strictSame(failing, [])
})

t.test('a redirect stays a redirect', async (t) => {
  const response = await json('/moved')
  t.equal(response.statusCode, 301)
  t.equal(response.headers.location, '/kinds')
  t.equal(response.body, '')
})
