// Attacks with deep nesting or many repetitions: calls that overflow the stack (CVE-2025-59466: Node.js then ended
// the process, even if code caught the error), and work or memory that grows with the square of the input.

import { Worker } from 'node:worker_threads'
import t from 'tap'
import { withoutTrailingSlash } from '../../src/server/http/request-url.ts'
import type { ActionContext, LoadContext } from '../../src/server/index.ts'
import { findFailing } from '../find-failing.ts'
import { marked } from '../server/lines.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'
import { until } from '../until.ts'

const Component = ({ data, actionData }: Record<string, unknown>) => (
  <p>
    {typeof data}
    {typeof actionData}
  </p>
)
const own = { acted: 0, late: Promise.resolve() }
function nest(): unknown {
  let data: unknown = {}
  for (let depth = 0; depth < 50_000; depth++) data = [data]
  return data
}
const site = {
  '/echo': {
    Component,
    load: ({ request }: LoadContext) => ({ query: request.query, cookie: request.headers.cookie ?? null }),
    action: ({ request, form }: ActionContext) => ({
      body: request.body instanceof FormData ? [...form] : request.body,
    }),
  },
  '/later': {
    Component,
    // The action returns its input in a promise that no code reads.
    load: ({ request }: LoadContext) => ({ later: Promise.resolve(request.body ?? null) }),
    action: () => ({}),
  },
  '/own': {
    Component,
    load({ url }: LoadContext) {
      const later = new Promise((resolve) => setImmediate(() => resolve(nest())))
      return url.search === '?now' ? nest() : { later }
    },
    async action() {
      await own.late
      own.acted++
      return nest()
    },
  },
  '/causes': {
    Component,
    load({ url }: LoadContext) {
      const length = Number(url.searchParams.get('length'))
      let error = new Error('innermost')
      for (let index = 0; index < length; index++) error = new Error(`around ${index}`, { cause: error })
      if (url.searchParams.has('wide'))
        throw new AggregateError(
          Array.from({ length }, () => error),
          'all',
        )
      throw error
    },
  },
}
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

t.test('a body that is nested too deeply is refused, in every form of request', async (t) => {
  const { app, log } = await testSite(t, site, { ledger: false })
  const ways = [HTML, JSON_ONLY, { ...HTML, ...navigationHeaders() }]
  const payloads = [
    [nested(400), 200],
    [nested(3_000), 400],
    [nested(100_000), 400],
    [`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 400],
    [`[${nested(300)},${nested(3_000)}]`, 400],
    [JSON.stringify(Array.from({ length: 10_000 }, () => [])), 200],
  ] as const
  const requests = payloads.flatMap(([payload, status]) =>
    ['/echo', '/later'].flatMap((url) => ways.map((headers) => ({ url, headers, payload, status }))),
  )
  const failing = await findFailing(
    requests,
    async ({ url, headers, payload }) => {
      const { statusCode } = await app.inject({
        method: 'POST',
        url: 'hydrant-build' in headers ? marked(url) : url,
        headers: { ...headers, 'content-type': 'application/json' },
        payload,
      })
      return statusCode
    },
    ({ status }) => status,
  )
  const shown = failing.map(({ input, ...others }) => ({ ...others, ...input, payload: input.payload.slice(0, 12) }))
  t.strictSame(shown, [])
  t.strictSame(log.errors(), [], 'nothing of it is a failure')
})

t.test('data that the site itself nests so deeply is a failure, and ends only its own response', async (t) => {
  const { app, get } = await testSite(t, site, { ledger: false, timeouts: { loadMs: 20 } })
  let end = () => {}
  own.late = new Promise((resolve) => {
    end = resolve
  })
  for (const headers of [HTML, JSON_ONLY, { ...HTML, ...navigationHeaders() }]) {
    const addressOf = (url: string) => ('hydrant-build' in headers ? marked(url) : url)
    for (const search of ['?now', '?later']) await get(addressOf(`/own${search}`), headers)
    // Its deadline has passed.
    const acted = await app.inject({ method: 'POST', url: addressOf('/own'), headers })
    t.match(acted.body, /Digest|digest|failure/)
  }
  end()
  await until(() => own.acted === 3)
  // An uncaught exception fails the test before this request gets its response.
  t.equal((await get('/echo')).statusCode, 200)
})

t.test('names of forms and queries are plain names, however many brackets they have', async (t) => {
  const { app, get } = await testSite(t, site, { ledger: false })
  const name = `a${'[b]'.repeat(1_000)}`
  const headers = { ...JSON_ONLY, 'content-type': 'application/x-www-form-urlencoded' }
  const form = await app.inject({ method: 'POST', url: '/echo', headers, payload: `${name}=1` })
  t.strictSame(form.json(), { body: [[name, '1']] })
  t.strictSame((await get(`/echo?${encodeURI(name)}=1`, JSON_ONLY)).json().query, { [name]: '1' })
  const many = await get(`/echo?${'a&'.repeat(3_500)}`, JSON_ONLY)
  t.equal(many.statusCode, 200)
})

t.test('long lists in headers are read once', async (t) => {
  const { get } = await testSite(t, site, { ledger: false })
  const lists: Record<string, string>[] = [
    { accept: Array.from({ length: 1_000 }, (_, n) => `a/b${n};q=0.${n % 10}`).join() },
    { accept: `application/json${';a=b'.repeat(3_000)}` },
    { accept: `${'"'.repeat(5_000)}, application/json` },
    { accept: `application/json;a="${'\\'.repeat(5_001)}` },
    { ...HTML, 'if-none-match': 'W/"a",'.repeat(2_000) },
    { ...HTML, 'accept-encoding': Array.from({ length: 2_000 }, (_, n) => `x${n};q=0.1`).join() },
    { ...HTML, cookie: Array.from({ length: 2_000 }, (_, n) => `c${n}=%E0%A4`).join('; ') },
    { ...HTML, forwarded: 'for=1;'.repeat(2_000), 'x-forwarded-for': '1.1.1.1, '.repeat(1_000) },
    { ...HTML, traceparent: '-'.repeat(10_000) },
    { ...HTML, 'hydrant-layouts': 'a '.repeat(5_000), 'user-agent': `bot ${'a/'.repeat(5_000)}` },
  ]
  const failing = await findFailing(
    lists,
    async (headers) => [(await get('/echo', headers)).statusCode, (await get('/causes?length=1', headers)).statusCode],
    () => [200, 500],
  )
  t.strictSame(failing, [])
})

t.test('long runs of one character are read once', async (t) => {
  // So long that reading them again from each character would take hours.
  const slashes = '/'.repeat(3_000_000)
  t.equal(withoutTrailingSlash(`${slashes}a${slashes}`), '/a')
  const { app } = await testSite(t, site, { ledger: false })
  const headers = { ...HTML, 'content-type': 'application/json', 'content-encoding': `${'\xa0'.repeat(3_000_000)}x` }
  const { statusCode } = await app.inject({ method: 'POST', url: '/echo', headers, payload: '{}' })
  t.equal(statusCode, 415)
})

t.test('of a long chain of causes, or many errors in one, only a few are shown', async (t) => {
  const { get, failuresOf } = await testSite(t, site, { ledger: false })
  for (const query of ['length=5000', 'length=2000&wide']) {
    const response = await get(`/causes?${query}`)
    t.equal(response.statusCode, 500)
    const [line, ...more] = failuresOf(response)
    t.strictSame(more, [])
    t.ok(JSON.stringify(line).length < 200_000, 'a line that can be read')
  }
})

t.test('data as JSON takes memory that grows with the data, and not with its depth too', async (t) => {
  const script = `import { parentPort, workerData } from 'node:worker_threads'
const { toPlainJson } = await import(workerData)
let data = Array.from({ length: 50_000 }, () => ({}))
for (let depth = 0; depth < 800; depth++) data = [data]
parentPort.postMessage((await toPlainJson(data, () => new Error('late'), 60_000)).length)`
  const module = new URL('../../src/server/render/plain-json.js', import.meta.url).href
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    workerData: module,
    resourceLimits: { maxOldGenerationSizeMb: 100 },
  })
  const length = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject))
  t.equal(length, 50_000 * 3 - 1 + 2 * 801)
})
