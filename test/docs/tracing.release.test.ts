// Follows "Tracing" of docs/ecosystem.md with a database, another service and a collector of OpenTelemetry.

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { startPostgres } from '../postgres.ts'
import { startCli } from '../scripts/run-cli.ts'
import { buildFiles, HTML } from '../server/served.ts'
import type { LogLine } from '../site-server.ts'
import { until } from '../until.ts'
import { readMarkdown } from './code/code-block.ts'
import { installDocumentedPackages, linkDocumentedPackages } from './code/documented-packages.ts'

const EMPTY = 'export default () => <main>empty</main>\n'
const WAITING = `import { Suspense, use } from 'react'

const Late = ({ late }) => use(late)

export default ({ data }) => <main><Late {...data} /></main>
`
const STREAMING = WAITING.replace('<Late {...data} />', '<Suspense>$&</Suspense>')
const LATE = `export async function load({ signal }) {
  return { late: fetch(process.env.STOCK_URL + '/slow', { signal }).then((response) => response.text()) }
}
`
const SITE = {
  'pages/layout.tsx': `export default ({ children }) => <html lang="en"><head /><body>{children}</body></html>
`,
  'pages/layout.server.ts': `export async function guard() {
  await null
}

export async function load() {
  const response = await fetch(process.env.STOCK_URL)
  return { stock: await response.text() }
}
`,
  'pages/products/[id].tsx': STREAMING,
  'pages/products/[id].server.ts': `import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })

export async function load({ params }) {
  await pool.query('select $1::text', [params.id])
  return { late: pool.query('select pg_sleep(0.05)').then(() => 'late text') }
}

export async function action() {
  await pool.query('select 2')
}
`,
  'pages/fail.tsx': EMPTY,
  'pages/fail.server.ts': `export async function load() {
  await null
  throw new RangeError('no price')
}
`,
  'pages/broken.tsx': `export default () => {
  throw new RangeError('no component')
}
`,
  'pages/slow.tsx': EMPTY,
  'pages/slow.server.ts': `export async function load({ signal }) {
  await fetch(process.env.STOCK_URL + '/slow', { signal })
}
`,
  'pages/waits.tsx': WAITING,
  'pages/waits.server.ts': LATE,
  'pages/streams.tsx': STREAMING,
  'pages/streams.server.ts': LATE,
}

await installDocumentedPackages()
const recipe = readMarkdown('docs/ecosystem.md').filter(({ text }) => /@opentelemetry|@fastify\/otel/.test(text))
const dir = t.testdir({})
linkDocumentedPackages(dir)
await buildFiles(dir, {
  ...Object.fromEntries(recipe.filter(({ path }) => path !== '').map(({ path, text }) => [path, text])),
  ...SITE,
})

const postgres = startPostgres(t)
const spans: Span[] = []
const collector = await listen(t, async (request, response) => {
  // The format of OTLP.
  const sent = (await json(request)) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
  spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(readSpan))))
  response.setHeader('content-type', 'application/json').end('{}')
})
/** The headers `traceparent` of the calls of another service. It never responds to `/slow`. */
const calls: { url: string | undefined; traceparent: unknown }[] = []
const stock = await listen(t, ({ headers: { traceparent }, url }, response) => {
  calls.push({ url, traceparent })
  if (url !== '/slow') response.end('7')
})
const server = startCli(t, ['start'], {
  cwd: dir,
  node: ['--import', './instrument.js'],
  env: {
    PORT: '0',
    DATABASE_URL: postgres.url,
    STOCK_URL: stock,
    HYDRANT_ADMIN: 'true',
    HYDRANT_ADMIN_PORT: '0',
    HYDRANT_LOG_REQUESTS: 'true',
    HYDRANT_RELEASE: 'r-17',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'none',
  },
})
const [, origin = ''] = await server.waitFor(/listening at (http:[^"]+)/)
const [, admin = ''] = await server.waitFor(/console is at (http:[^"]+)/)

const ERROR = 2
const LAYOUT = 'pages/layout.server.ts'
const PRODUCT = 'pages/products/[id].server.ts'
const PRODUCT_PATHS = [
  'GET /products/:id',
  'GET /products/:id > deferred data.late',
  `GET /products/:id > guard ${LAYOUT}`,
  `GET /products/:id > load ${LAYOUT}`,
  `GET /products/:id > load ${LAYOUT} > GET`,
  `GET /products/:id > load ${PRODUCT}`,
  `GET /products/:id > load ${PRODUCT} > pg.query:SELECT postgres`,
  `GET /products/:id > load ${PRODUCT} > pg.query:SELECT postgres`,
  'GET /products/:id > render /products/[id]',
]

t.test('steps are spans of the request, and queries and fetches are spans of their step', async (t) => {
  const { body, line, trace } = await send('/products/7?token=secret')
  t.match(body, 'late text')
  const { find, paths, errors } = await trace(PRODUCT_PATHS)
  t.strictSame(paths, PRODUCT_PATHS)
  t.strictSame(errors, [])
  const request = find('GET /products/:id')
  t.match(request.attributes, { 'http.route': '/products/:id', 'url.path': '/products/7' })
  t.strictSame([line.traceId, line.spanId], [request.traceId, request.spanId], 'the line of the request')
  const common = { 'http.route': '/products/:id', 'hydrant.release': 'r-17' }
  t.strictSame(find(`guard ${LAYOUT}`).attributes, { ...common, 'code.file.path': LAYOUT })
  t.strictSame(find(`load ${PRODUCT}`).attributes, { ...common, 'code.file.path': PRODUCT })
  t.strictSame(find('deferred data.late').attributes, { ...common, 'code.file.path': PRODUCT })
  t.strictSame(find('render /products/[id]').attributes, common)
  t.strictSame(calls.at(-1)?.traceparent, `00-${request.traceId}-${find('GET').spanId}-01`, 'the trace goes on')
})

t.test('a request with a trace continues it', async (t) => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const { line, trace } = await send('/products/7', { headers: { traceparent: `00-${traceId}-${spanId}-01` } })
  t.equal(line.traceId, traceId)
  t.match((await trace(PRODUCT_PATHS)).find('GET /products/:id'), { parentSpanId: spanId, spanId: line.spanId })
})

t.test('an action, its guards and its queries are spans of the request', async (t) => {
  const { trace } = await send('/products/7', { method: 'POST', body: new URLSearchParams({ amount: '1' }) })
  const own = [
    `POST /products/:id > action ${PRODUCT}`,
    `POST /products/:id > action ${PRODUCT} > pg.query:SELECT postgres`,
  ]
  const expected = [...PRODUCT_PATHS.map((path) => path.replace('GET', 'POST')), ...own].sort()
  t.strictSame((await trace(expected)).paths, expected)
})

for (const [path, name, message] of [
  ['/fail', 'load pages/fail.server.ts', 'no price'],
  ['/broken', 'render /broken', 'no component'],
] as const)
  t.test(`the failure of ${path} has the ids of its span, and the span its digest`, async (t) => {
    const { digest, line, trace } = await send(path)
    const { find, errors } = await trace([`GET ${path}`, `GET ${path} > ${name}`])
    t.strictSame(errors, [`GET ${path}`, name])
    const { status, attributes, traceId, spanId } = find(name)
    t.match(status, { message })
    t.equal(attributes['hydrant.digest'], digest)
    t.match(line, { digest, traceId, spanId: find(`GET ${path}`).spanId })
    t.match(
      readLines().find((line) => line.digest === digest && line.level === 50),
      { traceId, spanId },
    )
    const kept = await until(async () => {
      const response = await fetch(`${admin}/api/failures/${digest}`)
      return response.ok && response.json()
    })
    t.match(kept, { occurrences: [{ digest, traceId, spanId }] }, 'the ledger and the console')
  })

for (const [path, ...steps] of [
  ['/slow', 'load pages/slow.server.ts'],
  ['/waits', 'deferred data.late', 'render /waits'],
  ['/streams', 'deferred data.late', 'render /streams'],
] as const)
  t.test(`a client that leaves ${path} is no error, and all spans end`, async (t) => {
    const client = new AbortController()
    const before = calls.length
    const asked = fetch(origin + path, { headers: HTML, signal: client.signal })
    await until(() => calls.slice(before).some(({ url }) => url === '/slow'))
    if (path === '/streams') await (await asked).body?.getReader().read()
    client.abort()
    await asked.catch(() => {})
    const line = await until(() => readLines().find(({ msg, route }) => msg === 'request aborted' && route === path))
    const expected = steps.map((name) => `GET ${path} > ${name}`)
    const { find, errors } = await traceOf(line.traceId, [`GET ${path}`, ...expected])
    t.equal(line.spanId, find(`GET ${path}`).spanId)
    t.strictSame(errors, [])
  })

t.test('requests without a span have no trace', async (t) => {
  const { line } = await send('/_hydrant/live')
  t.equal(line.traceId, undefined)
  t.strictSame(
    readLines().filter(({ msg }) => msg === 'traceOf threw'),
    [],
  )
})

interface SentSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number; message?: string }
  attributes: { key: string; value: Record<string, unknown> }[]
}

interface Span extends Omit<SentSpan, 'attributes'> {
  attributes: Record<string, unknown>
}

/** An attribute has one value, by the name of its type. */
function readSpan({ attributes, ...span }: SentSpan): Span {
  return { ...span, attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])) }
}

interface TracedLine extends LogLine {
  route?: string
  traceId?: string
  spanId?: string
}

/** Returns the lines of the log. Each is an object. */
function readLines(): TracedLine[] {
  return server.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as TracedLine)
}

/** Sends a request, and waits for its line. */
async function send(path: string, init: RequestInit = {}) {
  const response = await fetch(origin + path, { ...init, headers: { ...HTML, ...init.headers } })
  const body = await response.text()
  const id = response.headers.get('x-request-id')
  const line = await until(() => readLines().find(({ reqId, msg }) => reqId === id && msg === 'request completed'))
  const digest = response.headers.get('x-error-digest') ?? undefined
  return { body, digest, line, trace: (expected: readonly string[]) => traceOf(line.traceId, expected) }
}

/**
 * Waits for spans of a trace. A path has the names of a span and those above it, without handlers and connections to the
 * database.
 */
async function traceOf(traceId: string | undefined, expected: readonly string[]) {
  const own = () => spans.filter((span) => span.traceId === traceId)
  const pathOf = ({ name, parentSpanId }: Span): string => {
    const parent = own().find(({ spanId }) => spanId === parentSpanId)
    const above = parent ? pathOf(parent) : ''
    return name.startsWith('handler - ') ? above : above ? `${above} > ${name}` : name
  }
  const listPaths = () =>
    own()
      .filter(({ name }) => !/^handler - |connect$/.test(name))
      .map(pathOf)
      .sort()
  const isThere = (path: string) =>
    listPaths().filter((one) => one === path).length >= expected.filter((one) => one === path).length
  await until(() => expected.every(isThere))
  const find = (wanted: string) => {
    const span = own().find(({ name }) => name === wanted)
    if (!span) throw new Error(`There is no span ${wanted}.`)
    return span
  }
  const errors = own()
    .filter(({ status }) => status.code === ERROR)
    .map(({ name }) => name)
    .sort()
  return { paths: listPaths(), find, errors }
}

/** Starts a server. Returns its origin. */
async function listen(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  // A server that listens on a port has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
