// A hook runs each request in an AsyncLocalStorage with the visitor's name. Drivers of databases read such a store, for
// example to choose the tenant. Code of a cached page that runs before, after or beside its load must not find it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ReactNode, Suspense, use } from 'react'
import t from 'tap'
import { marked } from '../server/lines.ts'
import { createLog, HTML } from '../server/served.ts'
import type { LogLine } from '../site-server.ts'
import { navigationHeaders, testSite } from '../test-site.ts'
import { type VisitorContext, visitors, visitorsPlugin } from './visitors-plugin.ts'

/** Returns the visitor or `nobody`. */
const who = () => visitors.getStore() ?? 'nobody'
const tick = () => new Promise(setImmediate)

/** Query builders (drizzle, knex, kysely) send their query in `then`. */
const thenable = (then: (resolve: (value: string) => void) => void) => ({ then })
const query = () => thenable((resolve) => resolve(who()))
const rowsOf = async function* () {
  await tick()
  yield who()
}
const loadOne = () => ({ rows: 1 })
const reading = (name: string) => Object.defineProperty({}, name, { get: who, enumerable: true, configurable: true })

interface Reader {
  load(): unknown
  /** More exports of the page's server file. */
  server?: Record<string, unknown>
  /** More of the page. */
  Inner?(): ReactNode
}

/** Code of a page that reads the store, by the name of the page. */
const READERS: Record<string, Reader> = {
  thenable: { load: () => ({ rows: query() }) },
  'nested-thenable': {
    load: () => ({ rows: Promise.resolve({ inner: thenable((resolve) => setImmediate(() => resolve(who()))) }) }),
  },
  'late-thenable': { load: () => tick().then(() => ({ rows: query() })) },
  getter: { load: () => reading('rows') },
  'deep-getter': { load: () => ({ rows: [Promise.resolve(reading('name'))] }) },
  'to-string-of-url': { load: () => ({ rows: Object.assign(new URL('http://a/'), { toString: who }) }) },
  'to-json-of-date': { load: () => ({ rows: Object.assign(new Date(0), { toJSON: () => who() }) }) },
  iterator: {
    load: () => ({
      rows: Object.assign(new Set(), {
        *[Symbol.iterator]() {
          yield who()
        },
      }),
    }),
  },
  entries: {
    load: () => ({
      rows: Object.assign(new Map([['a', 1]]), {
        *[Symbol.iterator]() {
          yield ['a', who()]
        },
      }),
    }),
  },
  proxy: {
    load: () => ({
      rows: [new Proxy({ name: 1 }, { get: (target, name) => (name in target ? who() : Reflect.get(target, name)) })],
    }),
  },
  timer: { load: () => new Promise((resolve) => setTimeout(() => resolve({ rows: who() }), 2)) },
  stream: {
    load: () => ({
      rows: new Response(
        new ReadableStream({
          pull(control) {
            control.enqueue(new TextEncoder().encode(who()))
            control.close()
          },
        }),
      ).text(),
    }),
  },
  generator: {
    load: () => ({
      rows: (async () => {
        for await (const row of rowsOf()) return row
      })(),
    }),
  },
  component: { load: loadOne, Inner: () => <p>{who()}</p> },
  'component-thenable': componentThenable(),
  'iterable-children': {
    load: loadOne,
    Inner: () => (
      <ul>
        {{
          *[Symbol.iterator]() {
            yield <li key="a">{who()}</li>
          },
        }}
      </ul>
    ),
  },
  'visitor-part': { load: () => ({ rows: query() }), server: { loadVisitor: () => null } },
  'visitor-part-getter': { load: () => reading('rows'), server: { loadVisitor: () => null } },
  search: { load: () => ({}), server: { search: schema(() => ({ page: who() })) } },
  'late-search': { load: () => ({}), server: { search: schema(() => tick().then(() => ({ page: who() }))) } },
  'search-getter': { load: () => ({}), server: { search: schema(() => reading('page')) } },
  tags: { load: () => ({}), server: { cache: { maxAgeS: 60, tags: () => [who()] } } },
  'tags-getter': {
    load: () => ({}),
    server: { cache: { maxAgeS: 60, tags: () => [String({ toString: who })] } },
  },
}

function componentThenable(): Reader {
  let lazy: PromiseLike<string> | undefined
  return {
    load: loadOne,
    Inner() {
      // The cast is safe because React calls `then` alone.
      lazy ??= query() as PromiseLike<string>
      return <p>{use(lazy as Promise<string>)}</p>
    },
  }
}

function schema(value: () => unknown) {
  return { '~standard': { version: 1, vendor: 'test', validate: async () => ({ value: await value() }) } }
}

// Data may contain anything.
const isThenable = (value: unknown): value is Promise<unknown> => typeof Object(value).then === 'function'
const Rows = ({ rows }: { rows: unknown }) => <pre>{JSON.stringify((isThenable(rows) ? use(rows) : rows) ?? null)}</pre>

interface Props {
  data: { rows?: unknown }
  search: unknown
  params: unknown
}

const pageOf =
  (name: string, Inner?: () => ReactNode) =>
  ({ data, search, params }: Props) => (
    <main>
      <h1>{name}</h1>
      {JSON.stringify({ search, params })}
      <Suspense fallback="…">
        <Rows rows={data.rows} />
      </Suspense>
      {Inner?.()}
    </main>
  )

const cache = { maxAgeS: 60 }
const cached = (name: string, load: (ctx: VisitorContext) => unknown, more: Record<string, unknown> = {}) => ({
  [`/${name}`]: { Component: pageOf(name), cache, load, ...more },
})

class KeepingError extends Error {
  readonly #keep: () => string
  constructor(keep: () => string) {
    super()
    this.#keep = keep
  }
  override get message() {
    return this.#keep()
  }
}

/** Logs values whose code keeps what it reads, and returns one of them. */
function keepLazily({ log }: VisitorContext) {
  let kept: string | undefined
  const keep = () => {
    kept ??= who()
    return kept
  }
  const lazy = {
    get rows() {
      return keep()
    },
  }
  log.info({ lazy, nested: [{ lazy }] })
  log.info('%s', { toString: keep })
  log.info('%s', { [Symbol.toPrimitive]: keep })
  log.info({ value: { toJSON: keep } })
  log.info(new KeepingError(keep))
  log.error({ err: new KeepingError(keep) })
  const listing = () => {
    keep()
    return []
  }
  log.info(new Proxy({}, { ownKeys: listing }))
  return lazy
}

/** The serializer of the log adds the visitor to what it gets. */
function logItem({ log }: VisitorContext) {
  const rows = { of: who() }
  log.info({ item: rows }, 'an item')
  log.info({ item: rows, lazy: { toJSON: () => 1 } }, 'an item and code')
  return { rows }
}

/** A prepared query is a constant of a module. */
const prepared = Object.assign(
  thenable((resolve) => {
    prepared.calls++
    resolve(who())
  }),
  { calls: 0 },
)
const loadPrepared = () => ({
  rows: prepared,
  again: [prepared],
  get calls() {
    return prepared.calls
  },
})

const site = {
  // Its load is slower than those of the pages, whose data has to wait.
  '/layout': {
    load: () => new Promise((resolve) => setTimeout(resolve, 5, { name: 0 })),
    Component: ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <head />
        <body>{children}</body>
      </html>
    ),
  },
  '/kept/[id]': {
    Component: pageOf('kept'),
    prerender: () => ['/kept/listed'],
    params: schema(() => ({ id: who() })),
    load: () => ({ rows: query() }),
  },
  ...cached('fails', async () => {
    throw new Error('of the load')
  }),
  ...cached('own', ({ request }) => ({ rows: request.user })),
  // Writing a line runs the mixin of the log, and a response of the load runs hooks.
  ...cached('logs', ({ log }) => {
    log.info('a')
    log.warn({ b: { c: [new Error('c')] } }, '%s', 'd')
    return { rows: who() }
  }),
  ...cached('keeps', keepLazily),
  ...cached('logs-item', logItem),
  ...cached('sends', ({ reply }) => reply.code(201).send('sent by the load')),
  ...cached('redirects', ({ reply }) => tick().then(() => reply.redirect('/own'))),
  ...cached('late', () => ({ rows: new Promise((_resolve, reject) => setTimeout(reject, 100, new Error('late'))) }), {
    loadVisitor: () => null,
  }),
  '/prepared': { Component: pageOf('prepared'), load: loadPrepared },
  '/prepared-cached': { Component: pageOf('prepared-cached'), cache, load: loadPrepared },
  ...Object.fromEntries(
    Object.entries(READERS).map(([name, { load, server: more, Inner }]) => [
      `/${name}`,
      { Component: pageOf(name, Inner), cache, load, ...more },
    ]),
  ),
}

async function server(app: FastifyInstance) {
  await visitorsPlugin(app)
  const seen = (hook: string) => async (request: FastifyRequest & { user?: unknown }) => {
    request.log.info({ hook, url: request.url, user: request.user, store: visitors.getStore() }, 'hook')
  }
  app.addHook('onSend', seen('onSend'))
  app.addHook('onResponse', seen('onResponse'))
  app.addHook('onError', seen('onError'))
}

const FORMS: Record<string, { mark(url: string): string; headers: Record<string, string> }> = {
  document: { mark: (url) => url, headers: HTML },
  JSON: { mark: (url) => url, headers: { accept: 'application/json' } },
  Markdown: { mark: (url) => url, headers: { accept: 'text/markdown' } },
  navigation: { mark: marked, headers: { ...HTML, ...navigationHeaders() } },
}
const PATHS = [...Object.keys(READERS).map((name) => `/${name}`), '/kept/unlisted', '/logs', '/keeps', '/logs-item']

t.test('no code of a cached page finds the store of a visitor', async (t) => {
  const { get, app } = await testSite(t, site, {
    server,
    ledger: false,
    logger: { ...createLog().logger, serializers: { item: (item: object) => Object.assign(item, { of: who() }) } },
    pageCache: { header: true, tagHeader: 'cache-tag' },
  })
  const leaks: string[] = []
  const unread: string[] = []
  const unstored: string[] = []
  for (const path of PATHS) {
    let isRead = false
    for (const [form, { mark, headers }] of Object.entries(FORMS)) {
      await app.pageCache.clear()
      const ask = (user: string) => get(mark(path), { ...headers, 'x-user': user })
      const [first, waiting] = await Promise.all([ask('first-visitor'), ask('waiting-visitor')])
      const second = await ask('second-visitor')
      const text = [first, waiting, second].map(({ body, headers }) => body + JSON.stringify(headers)).join('')
      if (/(?:first|second|waiting)-visitor/.test(text)) leaks.push(`${path} ${form}`)
      if (second.headers['hydrant-cache'] !== 'hit') unstored.push(`${path} ${form} ${second.statusCode}`)
      if (text.includes('nobody')) isRead = true
    }
    if (!isRead) unread.push(path)
  }
  t.strictSame({ leaks, unread, unstored }, { leaks: [], unread: [], unstored: [] })
})

t.test('hooks and log lines of a cached page have the store of their own request', async (t) => {
  const log = createLog()
  const logger = {
    ...log.logger,
    mixin: () => ({ mixed: visitors.getStore() }),
  }
  const { get } = await testSite(t, site, {
    server,
    ledger: false,
    logger,
    logRequests: true,
    timeouts: { renderMs: 30 },
  })
  const paths = ['/getter', '/visitor-part', '/search', '/fails', '/own', '/kept/unlisted', '/tags']
  paths.push('/logs', '/sends', '/redirects', '/late')
  for (const path of paths)
    for (const { mark, headers } of Object.values(FORMS))
      for (const user of ['Ann', 'Bob'])
        await Promise.all([
          get(mark(path), { ...headers, 'x-user': user }),
          get(mark(path), { ...headers, 'x-user': `${user}2` }),
        ])
  const isLate = ({ msg }: LogLine) => msg.endsWith('Error: late')
  while (!log.lines.some(isLate)) await new Promise(setImmediate)
  const lines = log.lines as (LogLine & Record<string, unknown>)[]
  const hooks = lines.filter(({ hook }) => hook !== undefined)
  const strangers = hooks.filter(({ user, store }) => user !== store)
  t.strictSame(
    strangers.map(({ hook, url, user, store }) => ({ hook, url, user, store })),
    [],
  )
  t.ok(hooks.some(({ hook }) => hook === 'onError') && hooks.some(({ hook }) => hook === 'onSend'), 'the hooks ran')
  const unmixed = lines.filter(({ reqId, mixed }) => reqId !== undefined && mixed === undefined)
  t.strictSame(
    unmixed.map(({ msg }) => msg),
    [],
    'lines of requests',
  )
})

t.test('a query that many requests share runs once in each, for the visitor of this request', async (t) => {
  const { get } = await testSite(t, site, { server, ledger: false })
  let calls = 0
  for (const [form, { mark, headers }] of Object.entries(FORMS)) {
    for (const [path, user, expected] of [
      ['/prepared', 'Ann', 'Ann'],
      ['/prepared', 'Bob', 'Bob'],
      ['/prepared-cached', 'Carl', 'nobody'],
    ] as const) {
      const { body } = await get(mark(path), { ...headers, 'x-user': user })
      t.match(body, expected, `${form} of ${path}`)
      t.notMatch(body, new RegExp(['Ann', 'Bob', 'Carl', 'nobody'].filter((name) => name !== expected).join('|')))
      calls++
    }
  }
  const { body } = await get('/prepared', { accept: 'application/json', 'x-user': 'Dan' })
  t.match(JSON.parse(body), { rows: 'Dan', again: ['Dan'] })
  t.ok(JSON.parse(body).calls <= calls + 1, 'one call for each request')
})
