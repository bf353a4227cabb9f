import Fastify, { type FastifyInstance } from 'fastify'
import { type ReactNode, Suspense, use } from 'react'
import t, { type Test } from 'tap'
import { digestOf, HttpError, hydrant, notFound, redirect } from '../../../src/server/index.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { findFailing } from '../../find-failing.ts'
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
  const failing = await findFailing(
    FAILURES,
    async ({ url }) => {
      const { response, told, lines } = await ask(url)
      const [line] = lines
      return {
        line: [line?.phase, line?.err?.message],
        // The thrown error itself.
        told: told.map(({ error, digest }) => [
          messageOf(error),
          typeof digest === 'string' && digest === line?.digest,
        ]),
        status: response.statusCode,
        isShown: response.body.includes(`Digest: ${line?.digest}`),
        hasLayout: response.body.includes('<header>shop</header>'),
        type: String(response.headers['content-type']).split(';')[0],
      }
    },
    ({ phase, message }) => ({
      line: [phase, message],
      told: [[message, true]],
      status: phase === 'stream' ? 200 : 500,
      isShown: true,
      hasLayout: true,
      type: 'text/html',
    }),
  )
  t.strictSame(failing, [])
})

t.test('onError hooks see failures of HEAD requests, actions, crawlers and JSON responses', async (t) => {
  const { ask } = await serveApp(t)
  const requests = [
    ['/load', JSON_ONLY, 'GET', 'the load broke'],
    ['/load', HTML, 'HEAD', 'the load broke'],
    ['/action', HTML, 'POST', 'the action broke'],
    ['/action', JSON_ONLY, 'POST', 'the action broke'],
    ['/stream', { ...HTML, 'user-agent': 'Googlebot/2.1' }, 'GET', 'the stream broke'],
    ['/stream', JSON_ONLY, 'GET', 'the stream broke'],
  ] as const
  const failing = await findFailing(
    requests,
    async ([url, headers, method]) => {
      const { response, told, lines } = await ask(url, headers, method)
      const shown = response.headers['x-error-digest']
      return [response.statusCode, lines.length, told.map(({ error, digest }) => [messageOf(error), digest === shown])]
    },
    ([, , , message]) => [500, 1, [[message, true]]],
  )
  t.strictSame(failing, [])
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
  const failing = await findFailing(
    FAILURES,
    async ({ url, phase }) => {
      const { response, told, lines } = await ask(url)
      const { 'x-seen': ofHook, 'x-site': ofSite, 'content-type': type } = response.headers
      return {
        counts: [told.length, lines.length],
        isShown: response.body.includes(`Digest: ${lines[0]?.digest}`),
        // Headers that a hook of the app and one of server.ts set. Those of a stream have been sent.
        set: phase === 'stream' ? [] : [ofHook, ofSite],
        type: String(type).split(';')[0],
      }
    },
    ({ phase, message }) => ({
      counts: [1, 1],
      isShown: true,
      set: phase === 'stream' ? [] : [message, 'hook'],
      type: 'text/html',
    }),
  )
  t.strictSame(failing, [])
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
    const failing = await findFailing(
      FAILURES.slice(0, 6),
      async ({ url }) => {
        const { response, lines } = await ask(url)
        const { statusCode, body } = response
        return [statusCode, body.includes(`Digest: ${lines[0]?.digest}`), body.includes('broke')]
      },
      ({ phase }) => [phase === 'stream' ? 200 : 500, true, false],
    )
    t.strictSame(failing, [])
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
