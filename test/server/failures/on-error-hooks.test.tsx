import Fastify, { type FastifyInstance } from 'fastify'
import { type ReactNode, Suspense, use } from 'react'
import t, { type Test } from 'tap'
import { digestOf, HttpError, hydrant, notFound, redirect } from '../../../src/server/index.ts'
import { navigationHeaders, writeTestSite } from '../../test-site.ts'
import { createLog, HTML, JSON_ONLY, type Log } from '../served.ts'

const throws = (thrown: () => unknown) => () => {
  throw thrown()
}
const fails = (message: string) => throws(() => new Error(message))
const Fails = fails('a part broke')
const Late = ({ text }: { text: Promise<string> }) => <p>{use(text)}</p>
const Streams = ({ data }: { data: { text: Promise<string> } }) => (
  <Suspense fallback="wait">
    <Late text={data.text} />
  </Suspense>
)
const unreadable = new Proxy(new Error(), { get: throws(() => 1), getPrototypeOf: throws(() => 2) })

const site = {
  '/layout': ({ children }: { children: ReactNode }) => (
    <html lang="en">
      <body>
        <header>shop</header>
        {children}
      </body>
    </html>
  ),
  '/load': { load: fails('the load broke') },
  '/frozen': { load: throws(() => Object.freeze(new Error('frozen'))) },
  '/text': { load: throws(() => 'only a text') },
  '/nothing': { load: throws(() => null) },
  '/proxy': { load: throws(() => unreadable) },
  '/render': fails('the shell broke'),
  '/inside': () => (
    <Suspense fallback="wait">
      <Fails />
    </Suspense>
  ),
  '/stream': {
    Component: Streams,
    load: () => ({
      text: new Promise((_, reject) => setTimeout(() => reject(new Error('the stream broke')), 20)),
    }),
  },
  '/soon': {
    Component: Streams,
    load: () => ({
      text: Promise.reject(new Error('rejected at once')),
      later: new Promise((resolve) => setTimeout(resolve, 20)),
    }),
  },
  '/action': { action: fails('the action broke') },
  '/refuses': { load: throws(() => new HttpError(403, 'No')) },
  '/leaves': { load: () => redirect('/') },
  '/missing': { load: () => notFound() },
  '/[id]': {},
}
async function server(app: FastifyInstance) {
  app.addHook<{ Querystring: { hook?: string } }>('onRequest', async ({ query }) => {
    if (query.hook) throw new Error('the hook broke')
  })
  app.addHook('onError', async (_request, reply) => void reply.header('x-site', 'hook'))
  app.get('/api/fails', fails('the route broke'))
  app.get('/api/leaves', async () => redirect('/'))
}
const dir = writeTestSite(t.testdir({}), site, { server })

interface Told {
  error: unknown
  digest: string | null
  url: string
}

async function serveApp(
  t: Test,
  options: { renderMs?: number } = {},
  prepare: (app: FastifyInstance) => void = () => {},
) {
  const log: Log = createLog()
  const app = Fastify({ logger: log.logger })
  t.teardown(() => app.close())
  const told: Told[] = []
  app.addHook('onError', async (request, _reply, error) => {
    told.push({ error, digest: digestOf(request, error), url: request.url })
  })
  prepare(app)
  const { renderMs = 10_000 } = options
  await app.register(hydrant, { dir, ledger: false, timeouts: { renderMs } })
  const linesOf = (id: unknown) => log.errors().filter(({ reqId }) => reqId === id)
  const ask = async (url: string, headers: Record<string, string> = HTML, method: 'GET' | 'POST' | 'HEAD' = 'GET') => {
    const response = await app.inject({ method, url, headers })
    return { response, told: told.splice(0), lines: linesOf(response.headers['x-request-id']) }
  }
  return { app, ask, log }
}

const FAILURES = [
  { url: '/load', phase: 'load', message: 'the load broke' },
  { url: '/frozen', phase: 'load', message: 'frozen' },
  { url: '/render', phase: 'render', message: 'the shell broke' },
  { url: '/inside', phase: 'render', message: 'a part broke' },
  { url: '/soon', phase: 'load', message: 'rejected at once' },
  { url: '/stream', phase: 'stream', message: 'the stream broke' },
  { url: '/api/fails', phase: 'route', message: 'the route broke' },
  { url: '/7?hook=1', phase: 'route', message: 'the hook broke' },
  { url: '/nowhere/else?hook=1', phase: 'route', message: 'the hook broke' },
] as const

t.test('onError hooks of an app see each failure once, with its digest', async (t) => {
  const { ask } = await serveApp(t)
  for (const { url, phase, message } of FAILURES) {
    const { response, told, lines } = await ask(url)
    t.match(lines, [{ phase, err: { message } }], url)
    t.match(told, [{ error: { message }, digest: lines[0]?.digest }], `${url}: the thrown error itself`)
    t.equal(told.length, 1, url)
    t.equal(response.statusCode, phase === 'stream' ? 200 : 500)
    t.match(response.body, `Digest: ${lines[0]?.digest}`)
    t.match(response.body, '<header>shop</header>')
    t.match(response.headers['content-type'], 'text/html')
  }
})

t.test('onError hooks see failures of HEAD requests, actions, crawlers and JSON responses', async (t) => {
  const { ask } = await serveApp(t)
  for (const [url, headers, method, message] of [
    ['/load', JSON_ONLY, 'GET', 'the load broke'],
    ['/load', HTML, 'HEAD', 'the load broke'],
    ['/action', HTML, 'POST', 'the action broke'],
    ['/action', JSON_ONLY, 'POST', 'the action broke'],
    ['/stream', { ...HTML, 'user-agent': 'Googlebot/2.1' }, 'GET', 'the stream broke'],
    ['/stream', JSON_ONLY, 'GET', 'the stream broke'],
  ] as const) {
    const { response, told, lines } = await ask(url, headers, method)
    t.equal(response.statusCode, 500, `${method} ${url}`)
    t.equal(lines.length, 1)
    t.match(told, [{ error: { message }, digest: response.headers['x-error-digest'] }])
    t.equal(told.length, 1)
  }
})

t.test('a thrown value that is not an error is the cause of the error that hooks get', async (t) => {
  const { ask } = await serveApp(t)
  for (const [url, cause] of [
    ['/text', 'only a text'],
    ['/nothing', null],
  ] as const) {
    const { response, told, lines } = await ask(url)
    t.equal(response.statusCode, 500)
    t.equal(lines.length, 1)
    t.match(told, [{ error: new Error('The thrown value is not an Error.'), digest: lines[0]?.digest }])
    t.match(told[0]?.error, { cause })
  }
  const { response, told, lines } = await ask('/proxy')
  t.equal(response.statusCode, 500)
  t.equal(lines.length, 1)
  t.equal(told[0]?.digest, lines[0]?.digest)
})

t.test('redirects, refusals and notFound() run no hooks and have no digest', async (t) => {
  const { ask } = await serveApp(t)
  for (const url of ['/refuses', '/leaves', '/missing', '/nowhere/else', '/7']) {
    t.strictSame((await ask(url)).told, [], url)
  }
  const { told } = await ask('/api/leaves')
  t.equal(told.length, 1, 'Fastify itself logs what a route throws')
  t.equal(told[0]?.digest, null)
})

t.test('hooks of server.ts run as well, and hooks may be asynchronous', async (t) => {
  const seen: string[] = []
  const { ask } = await serveApp(t, {}, (app) => {
    app.addHook('onError', async (_request, reply, error) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      seen.push(error.message)
      reply.header('x-seen', error.message)
    })
  })
  for (const { url, phase, message } of FAILURES) {
    const { response, told, lines } = await ask(url)
    t.strictSame([told.length, lines.length], [1, 1], url)
    t.match(response.body, `Digest: ${lines[0]?.digest}`)
    if (phase !== 'stream') {
      t.equal(response.headers['x-seen'], message, 'a header that a hook sets')
      t.equal(response.headers['x-site'], 'hook', 'a hook of server.ts')
    }
    t.match(response.headers['content-type'], 'text/html')
  }
  t.equal(seen.length, FAILURES.length)
  for (const url of ['/load', '/soon', '/stream']) {
    const { response } = await ask(`${url}?_hydrant`, { accept: '*/*', ...navigationHeaders() })
    t.equal(response.statusCode, 200)
  }
})

t.test('a hook that throws, or calls done twice, changes nothing for the visitor', async (t) => {
  for (const hook of [
    () => {
      throw new Error('the hook is broken')
    },
    (_request: unknown, _reply: unknown, _error: unknown, done: () => void) => {
      done()
      done()
    },
    async () => Promise.reject(new Error('the hook is broken')),
  ]) {
    const { ask } = await serveApp(t, {}, (app) => void app.addHook('onError', hook))
    for (const { url, phase } of FAILURES.slice(0, 6)) {
      const { response, lines } = await ask(url)
      t.equal(response.statusCode, phase === 'stream' ? 200 : 500, url)
      t.match(response.body, `Digest: ${lines[0]?.digest}`)
      t.notMatch(response.body, 'broke')
    }
  }
})

t.test('a hook that never ends is abandoned, and the visitor gets the error sentence', async (t) => {
  const { ask, log } = await serveApp(t, { renderMs: 50 }, (app) => {
    app.addHook('onError', (_request, _reply, _error, _done) => {})
  })
  for (const [url, headers, method] of [
    ['/load', HTML, 'GET'],
    ['/load', JSON_ONLY, 'GET'],
    ['/load', HTML, 'HEAD'],
    ['/inside', HTML, 'GET'],
    ['/soon', HTML, 'GET'],
    ['/action', HTML, 'POST'],
  ] as const) {
    const { response, lines } = await ask(url, headers, method)
    t.equal(response.statusCode, 500, url)
    t.match(lines, [{}, { phase: 'route', err: { message: /onError hook did not finish within 50 ms/ } }])
    t.equal(response.headers['x-error-digest'], lines[0]?.digest, 'the first failure is shown')
    if (method !== 'HEAD') t.match(response.body, String(lines[0]?.digest))
  }
  const streamed = await ask('/stream')
  t.equal(streamed.response.statusCode, 200)
  t.match(streamed.response.body, `Digest: ${streamed.lines[0]?.digest}`, 'a stream that has begun does not wait')
  t.strictSame(
    log.lines.filter(({ msg }) => /already sent|unhandled|promise/i.test(String(msg))),
    [],
  )
})

t.test('without an error digestOf returns the digest of the first failure, and null outside of the site', async (t) => {
  const digests: (string | null)[] = []
  const { app, ask } = await serveApp(t, {}, (app) => {
    app.addHook('onResponse', async (request) => void digests.push(digestOf(request)))
    app.get('/own', async () => {
      throw new Error('of the app')
    })
  })
  const { lines } = await ask('/load')
  await ask('/7')
  const own = await app.inject('/own')
  t.equal(own.statusCode, 500)
  t.strictSame(digests, [lines[0]?.digest, null, null])
  t.equal((await ask('/own')).told[0]?.digest, null, 'a failure of the app’s own')
})
