import type { InjectOptions } from 'fastify'
import t from 'tap'
import { createRecordings, type Load, PATH, SECRET } from './recorded.ts'

t.test('the shared properties of a request are not reads', async (t) => {
  const { record } = await createRecordings()
  const { value, read, thrown } = await record(({ request }) => {
    const { method, url, originalUrl, params, query, protocol, host, hostname, port, is404, id } = request
    return { method, url, originalUrl, params, query, protocol, host, hostname, port, is404, isId: id !== '' }
  })
  t.equal(thrown, undefined)
  t.equal(read, null)
  t.strictSame(JSON.parse(JSON.stringify(value)), {
    ...{ method: 'GET', url: PATH, originalUrl: PATH, params: { id: '7' }, query: { page: '2' }, protocol: 'http' },
    ...{ host: 'shop.example:8443', hostname: 'shop.example', port: 8443, is404: false, isId: true },
  })
})

t.test('objects without data of the visitor are not reads', async (t) => {
  const { app, record } = await createRecordings()
  const { value, read } = await record(({ request, reply }) => {
    request.log.info('line')
    reply.log.child({ part: 1 }).warn('line')
    return [
      request.server === app,
      reply.server === app,
      request.routeOptions.url,
      reply.routeOptions.url,
      request.signal.aborted,
      request.headers.host,
      reply.sent,
      reply.statusCode,
      reply.elapsedTime >= 0,
    ]
  })
  t.equal(read, null)
  t.strictSame(value, [...[true, true, '/products/:id', '/products/:id', false, 'shop.example:8443', false, 200, true]])
})

/** Runs a load that reads the address, for a request with these headers. */
async function readAddress(headers: InjectOptions['headers'], trustProxy = false) {
  const { record } = await createRecordings(undefined, { trustProxy })
  const load: Load = ({ request: { host, hostname, port, protocol } }) => [protocol, host, hostname, port]
  const { value, read } = await record(load, { headers: headers ?? {} })
  t.equal(read, null)
  return value
}

t.test('the address is the one in the key, whatever the client sends', async (t) => {
  t.strictSame(await readAddress({ host: 'Shop.Example' }), ['http', 'shop.example', 'shop.example', null])
  t.strictSame(await readAddress({ host: '[::1]:3000' }), ['http', '[::1]:3000', '[::1]', 3000])
  t.strictSame(await readAddress({ host: '"><script>' }), ['http', 'localhost', 'localhost', null])
  const forwarded = { host: 'internal', 'x-forwarded-host': 'Shop.example:8443', 'x-forwarded-proto': 'https' }
  t.strictSame(await readAddress(forwarded, true), ['https', 'shop.example:8443', 'shop.example', 8443])
  t.strictSame(await readAddress({ ...forwarded, 'x-forwarded-proto': 'javascript' }, true), [
    ...['http', 'shop.example:8443', 'shop.example', 8443],
  ])
})

t.test('the header Host is a read if it is not the host in the key', async (t) => {
  const { record } = await createRecordings(undefined, { trustProxy: true })
  const load: Load = ({ request }) => request.headers.host
  t.match(await record(load, { headers: { host: 'Shop.example' } }), { read: null, value: 'shop.example' })
  const forwarded = await record(load, { headers: { host: 'internal', 'x-forwarded-host': 'shop.example' } })
  t.match(forwarded, { read: 'request.headers.host', value: 'internal' })
  t.match(await record(load, { headers: { host: '"><script>' } }), { read: 'request.headers.host' })
})

t.test('an id that the client has sent is a read', async (t) => {
  const fromHeader = await createRecordings(undefined, { requestIdHeader: 'x-request-id' })
  const fromPart = await createRecordings(undefined, {
    genReqId: ({ headers }) => (headers.traceparent ? `id-${String(headers.traceparent).slice(3, 35)}` : 'own-id'),
  })
  const load: Load = ({ request }) => request.id
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  t.match(await fromHeader.record(load, { headers: { 'x-request-id': SECRET } }), { read: 'request.id', value: SECRET })
  t.match(await fromHeader.record(load), { read: null, value: /^req-/ })
  t.match(await fromPart.record(load, { headers: { traceparent } }), { read: 'request.id', value: /^id-0af7/ })
  t.match(await fromPart.record(load), { read: null, value: 'own-id' })
})

t.test('the version of the route that a client accepts is a read', async (t) => {
  const { record } = await createRecordings((app) => {
    app.get('/', { constraints: { version: '1.0.0' } }, () => '')
  })
  const url = await record(({ request }) => request.routeOptions.url)
  t.match(url, { read: null, value: '/products/:id' })
  const version = await record(({ request }) => request.routeOptions.version ?? null)
  t.match(version, { read: 'request.routeOptions.version', value: null })
})

/** Creates an app whose log keeps its lines. A custom factory binds the visitor to the log of the request. */
async function createLogs() {
  const lines: Record<string, unknown>[] = []
  const { record } = await createRecordings(
    (app) => {
      app.setChildLoggerFactory((logger, bindings, options, raw) =>
        logger.child({ ...bindings, cookie: raw.headers.cookie }, options),
      )
    },
    {
      logger: {
        level: 'debug',
        customLevels: { audit: 35 },
        stream: { write: (line: string) => void lines.push(JSON.parse(line)) },
      },
      disableRequestLogging: true,
    },
  )
  return { lines, record }
}

t.test('a line with the request in it is not a read', async (t) => {
  const { lines, record } = await createLogs()
  const { read, thrown } = await record(({ request, reply }) => {
    request.log.info({ req: request, part: 1 }, 'info')
    request.log.child({ req: request, res: reply }).debug('debug')
    const { audit } = request.log as unknown as { audit(this: unknown, message: string): void }
    audit.call(request.log, 'audit')
    t.equal(request.log.level, 'debug')
  })
  t.equal(thrown, undefined)
  t.equal(read, null)
  const cookie = `session=${SECRET}`
  t.match(lines, [
    { level: 30, msg: 'info', cookie, part: 1, req: { method: 'GET', url: `${PATH}&user=${SECRET}` } },
    { level: 20, msg: 'debug', cookie, req: { url: `${PATH}&user=${SECRET}` } },
    { level: 35, msg: 'audit', cookie },
  ])
})

t.test('the bindings of the log are reads', async (t) => {
  const { record } = await createLogs()
  const bindingsOf = (log: unknown) => (log as { bindings(): unknown }).bindings()
  const own = await record(({ request }) => bindingsOf(request.log))
  t.match(own, { read: 'request.log.bindings', value: { cookie: `session=${SECRET}` } })
  const child = await record(({ request }) => bindingsOf(request.log.child({ part: 1 })))
  t.match(child, { read: 'request.log.bindings', value: { part: 1 } })
  t.equal((await record(({ reply }) => ({ ...reply.log }))).read, 'request.log')
})

t.test('a logger whose methods return the logger', async (t) => {
  const logger = {
    ...{
      level: 'info',
      user: SECRET,
      fatal: () => {},
      error: () => {},
      debug: () => {},
      trace: () => {},
      silent: () => {},
    },
    warn: () => {},
    info() {
      return this
    },
    child() {
      return this
    },
  }
  const { record } = await createRecordings(undefined, { loggerInstance: logger })
  // Fastify's type says that `info` returns nothing.
  const infoOf = (log: unknown) => (log as typeof logger).info()
  const chained = await record(({ request }) => Object.is(infoOf(request.log), request.log))
  t.match(chained, { read: null, value: true })
  const read = await record(({ request }) => infoOf(request.log).user)
  t.match(read, { read: 'request.log.user', value: SECRET })
})
