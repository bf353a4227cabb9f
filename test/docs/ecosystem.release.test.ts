// Runs the examples of docs/ecosystem.md with the real plugins.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { splitSections } from '../../scripts/chapters.ts'
import { createVisitor } from '../../scripts/testing/index.ts'
import { type CreateServerOptions, createServer } from '../../src/server/create-server.ts'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { buildFiles, HTML, JSON_ONLY, writeFiles } from '../server/served.ts'
import { until } from '../until.ts'
import { readBlocks, readMarkdown } from './code/code-block.ts'
import { installDocumentedPackages, linkDocumentedPackages } from './code/documented-packages.ts'
import { givenSecrets } from './code/given-files.ts'

type Plugin = (app: FastifyInstance) => Promise<void>

const page = 'export default function Page() {\n  return <html><body><main><h1>Page</h1></main></body></html>\n}\n'
const sections = splitSections(readFileSync('docs/ecosystem.md', 'utf8')).map(({ heading, text }) => ({
  plugin: /@fastify\/([\w-]+)/.exec(heading)?.[1] ?? heading,
  blocks: readBlocks(text),
}))
const blocks = sections.flatMap(({ blocks }) => blocks)
/** The text of each `server.ts`, by the plugin that the heading names. */
const examples = new Map(
  sections.flatMap(({ plugin, blocks }) =>
    blocks.filter(({ path }) => path === 'server.ts').map(({ text }) => [plugin, text] as const),
  ),
)
/** The page on server-sent events leads there. */
const events = readMarkdown('docs/http.md').find(({ text }) => text.includes("app.get('/events'"))
if (events) examples.set('events', events.text)
const tested = new Set<string>()

const KEY = '__ecosystem'
/** A load with a span of its own, that fails. */
const TRACED = `import { trace } from '@opentelemetry/api'

export async function load() {
  await trace.getTracer('shop').startActiveSpan('prices', async (span) => span.end())
  throw new Error('no price')
}
`
Object.assign(process.env, givenSecrets)
const dir = t.testdir({})
await installDocumentedPackages()
linkDocumentedPackages(dir)
await buildFiles(dir, {
  ...Object.fromEntries(
    blocks.filter(({ path }) => path !== '' && path !== 'server.ts').map(({ path, text }) => [path, text]),
  ),
  'pages/index.tsx': page,
  'pages/form.tsx': page,
  'pages/form.server.ts': "export const action = ({ form }) => ({ name: form.get('name') })\n",
  'pages/traced.tsx': page,
  'pages/traced.server.ts': TRACED,
  'server.ts': `export default (app) => globalThis.${KEY}(app)\n`,
})

/** Creates the site with the example of a plugin as its `server.ts`. */
async function serve(
  t: Test,
  name: string,
  change = (text: string) => text,
  options: Partial<CreateServerOptions> = {},
): Promise<FastifyInstance> {
  tested.add(name)
  const source = `examples/${t.fullname.replace(/\W+/g, '-')}.ts`
  writeFiles(dir, { [source]: change(examples.get(name) ?? '') })
  const outfile = join(dir, source.replace(/ts$/, 'mjs'))
  await build({ entryPoints: [join(dir, source)], outfile, format: 'esm', platform: 'node', logLevel: 'silent' })
  // The example is a module with a plugin as its default export.
  const { default: plugin } = (await import(pathToFileURL(outfile).href)) as { default: Plugin }
  Reflect.set(globalThis, KEY, plugin)
  const app = await createServer({ dir, ledger: false, logger: false, ...options })
  t.teardown(() => app.close())
  return app
}

t.test('@fastify/cookie', async (t) => {
  const app = await serve(t, 'cookie')
  const visit = (cookie: string) => app.inject({ url: '/', headers: { ...HTML, cookie } })
  const first = await visit('')
  t.equal(first.headers['cache-control'], 'private, no-cache')
  const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
  t.match(cookie, /^firstVisit=2/)
  t.equal((await visit(cookie)).headers['set-cookie'], undefined)
  t.match((await visit(cookie.replace('=2', '=1'))).headers['set-cookie'], 'firstVisit=2', 'its signature is wrong')
  t.equal((await app.inject('/_hydrant/live')).headers['set-cookie'], undefined)
})

t.test('@fastify/session', async (t) => {
  const app = await serve(t, 'session')
  const first = await app.inject({ url: '/', headers: HTML })
  t.equal(first.statusCode, 200)
  t.equal(first.headers['cache-control'], 'private, no-cache')
  const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
  t.match(cookie, /^sessionId=/)
  const again = await app.inject({ url: '/', headers: { ...HTML, cookie } })
  t.equal(again.statusCode, 200)
  t.equal(String(again.headers['set-cookie']).split(';')[0], cookie)
  t.equal((await app.inject('/_hydrant/live')).headers['set-cookie'], undefined)
})

t.test('@fastify/jwt', async (t) => {
  const app = await serve(t, 'jwt')
  const refused = await app.inject({ method: 'POST', url: '/api/orders' })
  t.equal(refused.statusCode, 401)
  t.match(refused.headers['content-type'], 'application/problem+json')
  const wrong = { authorization: 'Bearer a.b.c' }
  t.equal((await app.inject({ method: 'POST', url: '/api/orders', headers: wrong })).statusCode, 401)

  const ask = (payload: object) => app.inject({ method: 'POST', url: '/api/token', payload })
  t.equal((await ask({})).statusCode, 400)
  t.equal((await ask({ key: 'another' })).statusCode, 401)
  const { token } = (await ask({ key: givenSecrets.API_KEY })).json()
  const order = (token: string) =>
    app.inject({ method: 'POST', url: '/api/orders', headers: { authorization: `Bearer ${token}` } })
  const ordered = await order(token)
  t.equal(ordered.statusCode, 200)
  t.match(ordered.json(), { orderedBy: { name: 'warehouse', exp: Number } })
  const [head, , signature] = token.split('.')
  const changed = Buffer.from(JSON.stringify({ name: 'owner' })).toString('base64url')
  t.equal((await order([head, changed, signature].join('.'))).statusCode, 401)
  t.equal((await app.inject({ url: '/', headers: HTML })).statusCode, 200)
})

t.test('@fastify/cors', async (t) => {
  const app = await serve(t, 'cors')
  const origin = 'https://app.example'
  const data = await app.inject({ url: '/', headers: { ...HTML, origin } })
  t.equal(data.headers['access-control-allow-origin'], origin)
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/',
    headers: { origin, 'access-control-request-method': 'GET' },
  })
  t.equal(preflight.statusCode, 204)
  t.equal(preflight.headers['access-control-allow-methods'], 'GET, HEAD')
  const sent = await app.inject({ method: 'POST', url: '/form', headers: { ...JSON_ONLY, origin } })
  t.equal(sent.statusCode, 403)
})

t.test('@fastify/rate-limit', async (t) => {
  const app = await serve(t, 'rate-limit', (text) => text.replace('max: 100', 'max: 2'))
  const statuses = []
  for (let count = 0; count < 3; count++) statuses.push((await app.inject({ url: '/', headers: HTML })).statusCode)
  t.strictSame(statuses, [200, 200, 429])
  const refused = await app.inject({ url: '/', headers: JSON_ONLY })
  t.equal(refused.statusCode, 429)
  t.match(refused.headers['content-type'], 'application/problem+json')
  t.equal((await app.inject('/_hydrant/live')).statusCode, 200)
})

t.test('@fastify/multipart', async (t) => {
  const app = await serve(t, 'multipart')
  const headers = { ...JSON_ONLY, 'content-type': 'multipart/form-data; boundary=b' }
  const payload = '--b\r\ncontent-disposition: form-data; name="name"; filename="a.txt"\r\n\r\ntea\r\n--b--\r\n'
  const video = await app.inject({ method: 'POST', url: '/api/videos', headers, payload })
  t.equal(video.statusCode, 201)
  t.strictSame(video.json(), { bytes: 3 })
  const form = payload.replace('; filename="a.txt"', '')
  const acted = await app.inject({ method: 'POST', url: '/form', headers, payload: form })
  t.strictSame(acted.json(), { name: 'tea' })
})

t.test('@fastify/websocket', async (t) => {
  const app = await serve(t, 'websocket')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = (origin: string) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      origin,
    }
    return request(`${url}/chat`, { headers }).end()
  }
  const opened = open(url)
  const [response, socket] = await once(opened, 'upgrade')
  t.equal(response.statusCode, 101)
  // A text frame with the mask 0 and the text "tea".
  socket.write(Buffer.from([0x81, 0x83, 0, 0, 0, 0, ...Buffer.from('tea')]))
  const [frame] = await once(socket, 'data')
  t.match(String(frame), 'you said: tea')
  const [refused] = await once(open('https://other.example'), 'response')
  t.equal(refused.statusCode, 403)
  // Only the server can end it: `app.close()` below would wait for it.
  await once(refused.resume().socket, 'close')
  t.equal((await fetch(`${url}/chat`)).status, 426)
  t.equal((await fetch(url, { headers: HTML })).status, 200)
  // The server closes the socket, and the client confirms it with a frame of its own.
  socket.once('data', () => socket.end(Buffer.from([0x88, 0x80, 0, 0, 0, 0])))
  const ended = once(socket, 'close')
  await app.close()
  await ended
})

t.test('server-sent events', async (t) => {
  const app = await serve(t, 'events')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const stream = await fetch(`${url}/events`)
  t.equal(stream.headers.get('content-type'), 'text/event-stream')
  const ended = stream.text()
  // Without the `preClose` hook, it would wait for the stream.
  await app.close()
  t.equal(await ended, '')
})

t.test('@fastify/swagger', async (t) => {
  const app = await serve(t, 'swagger')
  const { paths } = (await app.inject('/openapi.json')).json()
  t.strictSame(Object.keys(paths), ['/api/products'])
  t.equal((await app.inject({ url: '/', headers: HTML })).statusCode, 200)
})

t.test('@fastify/under-pressure', async (t) => {
  const calm = await serve(t, 'under-pressure')
  t.equal((await calm.inject({ url: '/', headers: HTML })).statusCode, 200)
  await t.test('a busy server', async (t) => {
    const ill = 'healthCheck: async () => false, healthCheckInterval: 60_000'
    const app = await serve(t, 'under-pressure', (text) => text.replace('maxEventLoopDelay: 1_000', ill))
    const { statusCode, headers } = await app.inject({ url: '/', headers: HTML })
    t.equal(statusCode, 503)
    t.equal(headers['retry-after'], '10')
    t.equal((await app.inject('/_hydrant/live')).statusCode, 200)
  })
})

t.test('@fastify/helmet', async (t) => {
  const app = await serve(t, 'helmet')
  const { headers, body } = await app.inject({ url: '/', headers: HTML })
  const nonce = /<script[^>]* nonce="([^"]+)"/.exec(body)?.[1] ?? 'none'
  t.match(headers['content-security-policy'], `'nonce-${nonce}'`)
})

t.test('@fastify/passport with @fastify/secure-session', async (t) => {
  const app = await serve(t, 'passport')
  const [ada, guest] = [createVisitor(app), createVisitor(app)]
  t.match(await guest.page('/members'), { status: 302, location: '/sign-in' })
  t.match(await guest.submit('/members', {}), { status: 303, location: '/sign-in' }, 'the guard of an action')

  const wrong = await ada.submit('/session', { username: 'Ada', password: 'rooibos' })
  t.match(wrong, { status: 302, location: '/sign-in?failed' })
  t.match((await ada.page('/sign-in?failed')).html, 'This name or this password is wrong.')
  t.match(await ada.page('/members'), { status: 302 })

  t.match(await ada.submit('/session', { username: 'Ada', password: 'oolong' }), { status: 302, location: '/members' })
  t.strictSame((await ada.page('/members')).data, { name: 'Ada' })
  t.match(await guest.page('/members'), { status: 302 })
  t.match(await ada.submit('/members', {}), { status: 303, location: '/' }, 'the action signs out')
  t.match(await ada.page('/members'), { status: 302, location: '/sign-in' })
})

t.test('@fastify/otel', async (t) => {
  const collector = await startCollector(t)
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'none',
  })
  await import(pathToFileURL(join(dir, 'instrument.js')).href)
  const failures: FailureRecord[] = []
  const app = await serve(t, 'otel', undefined, { onFailure: (failure) => void failures.push(failure) })
  t.equal((await app.inject({ url: '/traced', headers: HTML })).statusCode, 500)
  t.equal((await app.inject('/_hydrant/live')).statusCode, 200)

  const find = (pattern: RegExp) => collector.spans.find(({ name }) => pattern.test(name))
  await until(() => find(/^GET \/traced$/) !== undefined && find(/^load/) !== undefined && failures.length > 0)
  const [request, handler, load, own] = [/^GET \/traced$/, /^handler/, /^load/, /^prices$/].map(find)
  t.equal(own?.parentSpanId, load?.spanId, 'a span of the site is inside of the span of the load')
  t.match(load, { name: 'load pages/traced.server.ts', parentSpanId: handler?.spanId, status: { message: 'no price' } })
  t.equal(handler?.parentSpanId, request?.spanId)
  t.equal(request?.status.message, 'no price', 'the plugin records the failure')
  t.match(failures, [{ traceId: request?.traceId, spanId: load?.spanId }], 'the failure names the span of the load')
  t.equal(find(/live/), undefined)
})

t.test('each example has been run', async (t) => {
  t.strictSame(
    [...examples.keys()].filter((name) => !tested.has(name)),
    [],
  )
  t.ok(examples.size > 12)
})

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { message?: string }
}

/** Starts a collector of OpenTelemetry, which keeps the spans. */
async function startCollector(t: Test) {
  const spans: Span[] = []
  const server = createHttpServer(async (request, response) => {
    // The format of OTLP.
    const sent = (await json(request)) as { resourceSpans?: { scopeSpans: { spans: Span[] }[] }[] }
    spans.push(...(sent.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, spans }
}
