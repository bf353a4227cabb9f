// A hook runs each request in an AsyncLocalStorage with the visitor's name. Drivers of databases read such a store, for
// example to choose the tenant. Code of a cached page that runs before, after or beside its load must not find it.

import t from 'tap'
import { marked, navigationHeaders } from '../server/lines.ts'
import { buildFiles, createLog, HTML, serve } from '../server/served.ts'
import type { LogLine } from '../site-server.ts'
import { VISITORS_PLUGIN } from './visitors-plugin.ts'

/** Code of a page that reads the store, by the name of the page. `who()` returns the visitor or `nobody`. */
const READERS: Record<string, { load: string; server?: string; tsx?: string }> = {
  // Query builders (drizzle, knex, kysely) send their query in `then`.
  thenable: { load: '({ rows: { then: (resolve) => resolve(who()) } })' },
  'nested-thenable': {
    load: '({ rows: Promise.resolve({ inner: { then: (resolve) => setImmediate(() => resolve(who())) } }) })',
  },
  'late-thenable': { load: 'tick().then(() => ({ rows: { then: (resolve) => resolve(who()) } }))' },
  getter: { load: '({ get rows() { return who() } })' },
  'deep-getter': { load: '({ rows: [Promise.resolve({ get name() { return who() } })] })' },
  'to-string-of-url': { load: "({ rows: Object.assign(new URL('http://a/'), { toString: who }) })" },
  'to-json-of-date': { load: '({ rows: Object.assign(new Date(0), { toJSON: () => who() }) })' },
  iterator: { load: '({ rows: Object.assign(new Set(), { *[Symbol.iterator]() { yield who() } }) })' },
  entries: { load: "({ rows: Object.assign(new Map([['a', 1]]), { *[Symbol.iterator]() { yield ['a', who()] } }) })" },
  proxy: {
    load: '({ rows: [new Proxy({ name: 1 }, { get: (target, name) => (name in target ? who() : target[name]) })] })',
  },
  timer: { load: 'new Promise((resolve) => setTimeout(() => resolve({ rows: who() }), 2))' },
  stream: {
    load: '({ rows: new Response(new ReadableStream({ pull(control) { control.enqueue(new TextEncoder().encode(who())); control.close() } })).text() })',
  },
  generator: {
    load: '({ rows: (async () => { for await (const row of (async function* () { await tick(); yield who() })()) return row })() })',
  },
  component: { load: '({ rows: 1 })', tsx: '<p>{who()}</p>' },
  'component-thenable': { load: '({ rows: 1 })', tsx: '<p>{use(lazy())}</p>' },
  'iterable-children': {
    load: '({ rows: 1 })',
    tsx: '<ul>{{ *[Symbol.iterator]() { yield <li key="a">{who()}</li> } }}</ul>',
  },
  'visitor-part': {
    load: '({ rows: { then: (resolve) => resolve(who()) } })',
    server: 'export const loadVisitor = () => null',
  },
  'visitor-part-getter': { load: '({ get rows() { return who() } })', server: 'export const loadVisitor = () => null' },
  search: { load: '({})', server: schema('search', '({ page: who() })') },
  'late-search': { load: '({})', server: schema('search', 'tick().then(() => ({ page: who() }))') },
  'search-getter': { load: '({})', server: schema('search', '({ get page() { return who() } })') },
  tags: { load: '({})', server: 'export const cache = { maxAgeS: 60, tags: () => [who()] }' },
  'tags-getter': {
    load: '({})',
    server:
      'export const cache = { maxAgeS: 60, tags: () => ({ __proto__: [], get 0() { return who() }, length: 1 }) && [String({ toString: who })] }',
  },
}

function schema(name: string, value: string) {
  const validate = `async () => ({ value: await ${value} })`
  return `export const ${name} = { '~standard': { version: 1, vendor: 'test', validate: ${validate} } }`
}

const pageOf = (name: string, tsx: string) => `import { Suspense, use } from 'react'
const who = () => globalThis.visitors?.getStore() ?? 'nobody'
const lazies = new Map()
const lazy = () => lazies.get(0) ?? lazies.set(0, { then: (resolve) => resolve(who()) }).get(0)
const show = (value) => (typeof value?.then === 'function' ? use(value) : value)
const Rows = ({ rows }) => <pre>{JSON.stringify(show(rows) ?? null)}</pre>
export default ({ data, search, params }) => (
  <main><h1>${name}</h1>{JSON.stringify({ search, params })}<Suspense fallback="…"><Rows rows={data.rows} /></Suspense>${tsx}</main>
)
`
const serverOf = ({ load, server = '' }: { load: string; server?: string }) => `
const who = () => globalThis.visitors?.getStore() ?? 'nobody'
const tick = () => new Promise(setImmediate)
${server.includes('export const cache') ? '' : 'export const cache = { maxAgeS: 60 }'}
${server}
export const load = ({ request, reply }) => (${load})
`
const PRERENDERED = `
const who = () => globalThis.visitors?.getStore() ?? 'nobody'
export const prerender = () => ['/kept/listed']
${schema('params', '({ id: who() })')}
export const load = () => ({ rows: { then: (resolve) => resolve(who()) } })
`

const dir = await buildFiles(t.testdir({}), {
  'server.ts': `${VISITORS_PLUGIN.replace(
    '  app.decorateRequest',
    `  const seen = (hook) => async (request, reply) => {
    request.log.info({ hook, url: request.url, user: request.user, store: visitors.getStore() }, 'hook')
  }
  app.addHook('onSend', seen('onSend'))
  app.addHook('onResponse', seen('onResponse'))
  app.addHook('onError', seen('onError'))
  app.decorateRequest`,
  )}`,
  // Its load is slower than those of the pages, whose data has to wait.
  'pages/layout.server.ts': 'export const load = () => new Promise((resolve) => setTimeout(resolve, 5, { name: 0 }))\n',
  'pages/layout.tsx': 'export default ({ children }) => <html lang="en"><head /><body>{children}</body></html>\n',
  'pages/kept/[id].tsx': pageOf('kept', ''),
  'pages/kept/[id].server.ts': PRERENDERED,
  'pages/fails.tsx': pageOf('fails', ''),
  'pages/fails.server.ts':
    "export const cache = { maxAgeS: 60 }\nexport const load = async () => { throw new Error('of the load') }\n",
  'pages/own.tsx': pageOf('own', ''),
  'pages/own.server.ts':
    'export const cache = { maxAgeS: 60 }\nexport const load = ({ request }) => ({ rows: request.user })\n',
  // Writing a line runs the mixin of the log, and a response of the load runs hooks.
  'pages/logs.tsx': pageOf('logs', ''),
  'pages/logs.server.ts': serverOf({
    load: "(request.log.info('a'), reply.log.child({ b: 1 }).warn({ c: [new Error('c')], req: request }, '%s', 'd'), { rows: who() })",
  }),
  'pages/keeps.tsx': pageOf('keeps', ''),
  'pages/keeps.server.ts': serverOf({
    load: `(() => {
  let kept
  const lazy = { get rows() { return (kept ??= who()) } }
  request.log.info({ lazy, nested: [{ lazy }] })
  request.log.info('%s', { toString: () => (kept ??= who()) })
  request.log.info({ value: { toJSON: () => (kept ??= who()) } })
  request.log.info(new Proxy({}, { ownKeys: () => (kept ??= who()) && [] }))
  return lazy
})()`,
  }),
  'pages/sends.tsx': pageOf('sends', ''),
  'pages/sends.server.ts': serverOf({ load: "reply.code(201).send('sent by the load')" }),
  'pages/redirects.tsx': pageOf('redirects', ''),
  'pages/redirects.server.ts': serverOf({ load: "tick().then(() => reply.redirect('/own'))" }),
  'pages/late.tsx': pageOf('late', ''),
  'pages/late.server.ts': serverOf({
    load: "({ rows: new Promise((resolve, reject) => setTimeout(reject, 100, new Error('late'))) })",
    server: 'export const loadVisitor = () => null',
  }),
  // A prepared query is a constant of a module.
  'lib/query.ts':
    'export const query = { calls: 0, then(resolve) { this.calls++; resolve(globalThis.visitors.getStore() ?? "nobody") } }\n',
  ...Object.fromEntries(
    ['prepared', 'prepared-cached'].flatMap((name) => [
      [`pages/${name}.tsx`, pageOf(name, '')],
      [
        `pages/${name}.server.ts`,
        `import { query } from '../lib/query.ts'
${name === 'prepared' ? '' : 'export const cache = { maxAgeS: 60 }'}
export const load = () => ({ rows: query, again: [query], get calls() { return query.calls } })
`,
      ],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(READERS).flatMap(([name, reader]) => [
      [`pages/${name}.tsx`, pageOf(name, reader.tsx ?? '')],
      [`pages/${name}.server.ts`, serverOf(reader)],
    ]),
  ),
})

const FORMS: Record<string, { mark(url: string): string; headers: Record<string, string> }> = {
  document: { mark: (url) => url, headers: HTML },
  JSON: { mark: (url) => url, headers: { accept: 'application/json' } },
  Markdown: { mark: (url) => url, headers: { accept: 'text/markdown' } },
  navigation: { mark: marked, headers: { ...HTML, ...navigationHeaders(dir) } },
}
const PATHS = [...Object.keys(READERS).map((name) => `/${name}`), '/kept/unlisted', '/logs', '/keeps']

t.test('no code of a cached page finds the store of a visitor', async (t) => {
  const { get, app } = await serve(t, dir, {
    ledger: false,
    logger: false,
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
    mixin: () => ({ mixed: (globalThis as { visitors?: { getStore(): unknown } }).visitors?.getStore() }),
  }
  const { get } = await serve(t, dir, { ledger: false, logger, logRequests: true, timeouts: { renderMs: 30 } })
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
  const { get } = await serve(t, dir, { ledger: false })
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
