// Attacks with objects that are not what they seem: prototype pollution by JSON, queries and forms (CVE-2018-3721 of
// lodash, CVE-2022-24999 of qs), and thrown values that imitate errors of another kind to have their message shown.

import type { FastifyInstance } from 'fastify'
import { Suspense, use } from 'react'
import t from 'tap'
import type { ActionContext, LoadContext } from '../../src/server/index.ts'
import { findFailing } from '../find-failing.ts'
import { marked } from '../server/lines.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'

const SECRET = 'postgres://admin:hunter22@db.internal'

const error = (properties: object) => Object.assign(new Error(SECRET), properties)
const fail = () => {
  throw new Error(SECRET)
}
/** A load throws each of these. None is an `Error` with a status from 400 to 499. */
const FORGED: (() => unknown)[] = [
  () => ({ digest: '7K3M9QZD-0F4XTB', statusCode: 404, message: SECRET }),
  () => ({ digest: 'NEXT_REDIRECT;replace;https://evil.example;307;', message: SECRET }),
  () => ({ statusCode: 403, message: SECRET, name: 'HttpError' }),
  () => ({ status: 403, statusText: SECRET, expose: true }),
  () => ({ to: 'https://evil.example', status: 302, message: SECRET }),
  () => ({ toString: () => SECRET, [Symbol.toPrimitive]: () => SECRET }),
  () =>
    Object.defineProperty({ toJSON: () => ({ message: SECRET }) }, 'message', {
      get: fail,
      enumerable: true,
      configurable: true,
    }),
  // biome-ignore lint/suspicious/noThenProperty: the test is about this
  () => ({ then: (_resolve: unknown, reject: (reason: string) => void) => reject(SECRET), statusCode: 400 }),
  () => ({ __proto__: Error.prototype, message: SECRET, statusCode: 500 }),
  () => error({ digest: '7K3M9QZD-0F4XTB', expose: true }),
  () => error({ statusCode: 500, expose: true }),
  () => error({ statusCode: '403' }),
  () => error({ statusCode: [403] }),
  () => error({ statusCode: { valueOf: () => 403 } }),
  () => error({ statusCode: 403.5 }),
  () => error({ statusCode: 200 }),
  () => error({ status: 404, code: 'FST_ERR_NOT_FOUND' }),
  () => error({ headers: { 'x-leak': SECRET } }),
  () => Object.defineProperty(new Error('x'), 'message', { get: fail }),
  () => Object.defineProperty(new Error('x'), 'stack', { get: fail }),
  () => error({ cause: error({ statusCode: 403 }) }),
  () =>
    new Proxy(new Error(SECRET), {
      get: () => SECRET,
      getPrototypeOf() {
        throw SECRET
      },
    }),
  () => new AggregateError([error({ statusCode: 403 })], SECRET),
  () => new Response(SECRET, { status: 403 }),
  () => SECRET,
  () => Symbol(SECRET),
  () => () => SECRET,
  () => null,
  () => undefined,
]
const forge = (url: URL) => FORGED[Number(url.searchParams.get('n'))]?.()

const Late = ({ of }: { of: Promise<unknown> }) => <p>{String(use(of))}</p>
const Page = ({ data }: { data: unknown }) => <p>{JSON.stringify(data)}</p>
const site = {
  '/throws': {
    Component: Page,
    load({ url, request }: LoadContext) {
      if (request.method === 'GET') throw forge(url)
    },
    action({ url }: ActionContext) {
      throw forge(url)
    },
  },
  '/rejects': {
    load: ({ url }: LoadContext) => ({
      part: new Promise((_resolve, reject) => setImmediate(() => reject(forge(url)))),
    }),
    Component: ({ data }: { data: { part: Promise<unknown> } }) => (
      <main>
        <Suspense fallback="…">
          <Late of={data.part} />
        </Suspense>
      </main>
    ),
  },
  '/echo': {
    Component: Page,
    load: ({ url, request }: LoadContext) => ({ query: request.query, names: [...url.searchParams.keys()] }),
    action: ({ form, request }: ActionContext) => ({
      body: request.body instanceof FormData ? null : request.body,
      form: Object.fromEntries(form),
    }),
  },
}
async function server(app: FastifyInstance) {
  app.post('/merge', async ({ body }) => {
    const merged: Record<string, object> = {}
    for (const [key, value] of Object.entries(body ?? {})) merged[key] = Object.assign(merged[key] ?? {}, value)
    return { isAdmin: Reflect.get({}, 'isAdmin') ?? null }
  })
}

/** Whether nothing is in every object. The site runs in this process, whose prototypes an attack would pollute. */
function isClean(): boolean {
  const fresh: Record<string, unknown> = {}
  return (
    Object.keys(Object.prototype).length === 0 &&
    ['isAdmin', 'statusCode', 'polluted'].every((name) => fresh[name] === undefined) &&
    Object.getOwnPropertyDescriptor(Function.prototype, 'isAdmin') === undefined &&
    typeof Object.prototype.toString === 'function'
  )
}

t.test('a thrown value that imitates a refusal is a failure, and reveals nothing', async (t) => {
  const { app, failuresOf } = await testSite(t, site, { server })
  const believed: string[] = []
  for (const [n, forged] of FORGED.entries()) {
    for (const method of ['GET', 'POST'] as const) {
      for (const headers of [HTML, JSON_ONLY, { ...HTML, ...navigationHeaders() }]) {
        const isNavigation = 'hydrant-build' in headers
        const url = `/throws?n=${n}${isNavigation ? '&_hydrant' : ''}`
        const response = await app.inject({ method, url, headers })
        const title = `${method} ${String(forged).slice(6, 66)}`.replace(/[#\\]/g, ' ')
        const said = JSON.stringify([response.headers, response.body])
        const isLeak = /postgres:|hunter22|evil\.example|7K3M9QZD-0F4XTB|x-leak/.test(said)
        const isOther = (!isNavigation && response.statusCode !== 500) || 'location' in response.headers
        const lines = failuresOf(response).length
        if (isLeak || isOther || lines !== 1)
          believed.push(`${title}: ${response.statusCode}, ${lines} lines, ${said.slice(0, 500)}`)
      }
    }
    const response = await app.inject({ url: `/rejects?n=${n}`, headers: HTML })
    if (/postgres:|hunter22|evil\.example|7K3M9QZD-0F4XTB/.test(response.body)) believed.push(`later: ${forged}`)
  }
  t.strictSame(believed, [])
})

const POLLUTING = [
  '{"__proto__":{"isAdmin":true}}',
  '{"\\u005f_proto__":{"isAdmin":true}}',
  '{"a":{"__proto__":{"isAdmin":true}}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"a":[{"constructor":{"prototype":{"polluted":1}}}]}',
  '{"toJSON":{"isAdmin":true},"then":{"isAdmin":true}}',
  '{"hasOwnProperty":1,"toString":1,"valueOf":1,"__defineGetter__":1}',
  '{"statusCode":403,"message":"x","digest":"7K3M9QZD-0F4XTB"}',
  '[{"__proto__":[]}]',
]

t.test('JSON pollutes no prototype', async (t) => {
  const { app } = await testSite(t, site, { server })
  const polluting: string[] = []
  for (const payload of POLLUTING) {
    for (const url of ['/echo', '/merge', '/_hydrant/report', '/echo?_hydrant', '/nowhere']) {
      for (const accept of [HTML, JSON_ONLY]) {
        const headers = { ...accept, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
        const { statusCode } = await app.inject({ method: 'POST', url, headers, payload })
        if (statusCode >= 500 || !isClean()) polluting.push(`${url} ${payload}: ${statusCode}`)
      }
    }
  }
  t.strictSame(polluting, [])
  const json = { ...JSON_ONLY, 'content-type': 'application/json' }
  const refused = await app.inject({ method: 'POST', url: '/echo', headers: json, payload: POLLUTING[0] ?? '' })
  t.equal(refused.statusCode, 400, 'such a key does not reach a site')
  t.equal(refused.headers['cache-control'], 'no-store')
})

const NAMES = [
  '__proto__',
  '__proto__[isAdmin]',
  '__proto__.isAdmin',
  'constructor[prototype][isAdmin]',
  'constructor.prototype.isAdmin',
  'a[__proto__][isAdmin]',
  'toString',
  'hasOwnProperty',
  '__proto__[]',
]

t.test('queries and forms pollute no prototype either', async (t) => {
  const { app, get } = await testSite(t, site, { server })
  const ofName = async (name: string) => {
    const query = new URLSearchParams([
      [name, 'true'],
      [name, 'false'],
    ]).toString()
    const page = await get(`/echo?${query}`, JSON_ONLY)
    const data = await app.inject({
      url: marked(`/echo?${query}`),
      headers: { ...HTML, ...navigationHeaders() },
    })
    // Nobody can make a page fail that gives its query back.
    const document = await get(`/echo?${query}`)
    const urlencoded = { ...JSON_ONLY, 'content-type': 'application/x-www-form-urlencoded' }
    const form = await app.inject({ method: 'POST', url: '/echo', headers: urlencoded, payload: query })
    const multipart = { ...JSON_ONLY, 'content-type': 'multipart/form-data; boundary=b' }
    const payload = `--b\r\ncontent-disposition: form-data; name="${name}"; __proto__="a"\r\n\r\ntrue\r\n--b--\r\n`
    const parts = await app.inject({ method: 'POST', url: '/echo', headers: multipart, payload })
    const statuses = [page, data, document, form, parts].map(({ statusCode }) => statusCode)
    return { statuses, names: page.json().names, isClean: isClean() }
  }
  const failing = await findFailing(NAMES, ofName, (name) => ({
    statuses: [200, 200, 200, 200, 200],
    // It is a name as any other.
    names: [name, name],
    isClean: true,
  }))
  t.strictSame(failing, [])
})
