// Attacks with objects that are not what they seem: prototype pollution by JSON, queries and forms (CVE-2018-3721 of
// lodash, CVE-2022-24999 of qs), and thrown values that imitate errors of another kind to have their message shown.

import t, { type Test } from 'tap'
import { marked, navigationHeaders } from '../server/lines.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../server/served.ts'

const SECRET = 'postgres://admin:hunter22@db.internal'

/** A load throws each of these. None is an `Error` with a status from 400 to 499. */
const FORGED = [
  `{ digest: '7K3M9QZD-0F4XTB', statusCode: 404, message: '${SECRET}' }`,
  `{ digest: 'NEXT_REDIRECT;replace;https://evil.example;307;', message: '${SECRET}' }`,
  `{ statusCode: 403, message: '${SECRET}', name: 'HttpError' }`,
  `{ status: 403, statusText: '${SECRET}', expose: true }`,
  `{ to: 'https://evil.example', status: 302, message: '${SECRET}' }`,
  `{ toString: () => '${SECRET}', [Symbol.toPrimitive]: () => '${SECRET}' }`,
  `{ toJSON: () => ({ message: '${SECRET}' }), get message() { throw new Error('${SECRET}') } }`,
  `{ then: (resolve, reject) => reject('${SECRET}'), statusCode: 400 }`,
  `{ __proto__: Error.prototype, message: '${SECRET}', statusCode: 500 }`,
  `Object.assign(new Error('${SECRET}'), { digest: '7K3M9QZD-0F4XTB', expose: true })`,
  `Object.assign(new Error('${SECRET}'), { statusCode: 500, expose: true })`,
  `Object.assign(new Error('${SECRET}'), { statusCode: '403' })`,
  `Object.assign(new Error('${SECRET}'), { statusCode: [403] })`,
  `Object.assign(new Error('${SECRET}'), { statusCode: { valueOf: () => 403 } })`,
  `Object.assign(new Error('${SECRET}'), { statusCode: 403.5 })`,
  `Object.assign(new Error('${SECRET}'), { statusCode: 200 })`,
  `Object.assign(new Error('${SECRET}'), { status: 404, code: 'FST_ERR_NOT_FOUND' })`,
  `Object.assign(new Error('${SECRET}'), { headers: { 'x-leak': '${SECRET}' } })`,
  `Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('${SECRET}') } })`,
  `Object.defineProperty(new Error('x'), 'stack', { get() { throw new Error('${SECRET}') } })`,
  `Object.assign(new Error('${SECRET}'), { cause: Object.assign(new Error('${SECRET}'), { statusCode: 403 }) })`,
  `new Proxy(new Error('${SECRET}'), { get() { return '${SECRET}' }, getPrototypeOf() { throw '${SECRET}' } })`,
  `new AggregateError([Object.assign(new Error('${SECRET}'), { statusCode: 403 })], '${SECRET}')`,
  `new Response('${SECRET}', { status: 403 })`,
  `'${SECRET}'`,
  `Symbol('${SECRET}')`,
  `() => '${SECRET}'`,
  'null',
  'undefined',
]

const page = 'export default function Page({ data }) {\n  return <p>{JSON.stringify(data)}</p>\n}\n'
const dir = await buildFiles(t.testdir({}), {
  'pages/throws.tsx': page,
  'pages/throws.server.ts': `const values = [${FORGED.map((text) => `() => (${text})`).join(',\n')}]
const thrown = (url) => values[Number(url.searchParams.get('n'))]()
export const load = ({ url, request }) => {
  if (request.method === 'GET') throw thrown(url)
}
export const action = ({ url }) => {
  throw thrown(url)
}
`,
  'pages/rejects.tsx': `import { Suspense, use } from 'react'
function Part({ of }) {
  return <p>{String(use(of))}</p>
}
export default function Page({ data }) {
  return <main><Suspense fallback="…"><Part of={data.part} /></Suspense></main>
}
`,
  'pages/rejects.server.ts': `const values = [${FORGED.map((text) => `() => (${text})`).join(',\n')}]
export const load = ({ url }) => ({ part: new Promise((_, reject) => setImmediate(() => reject(values[Number(url.searchParams.get('n'))]()))) })
`,
  'pages/echo.tsx': page,
  'pages/echo.server.ts': `export const load = ({ url, request }) => ({ query: request.query, names: [...url.searchParams.keys()] })
export const action = ({ form, request }) => ({ body: request.body instanceof FormData ? null : request.body, form: Object.fromEntries(form) })
`,
  'server.ts': `export default async (app) => {
  app.post('/merge', async (request) => {
    const merged = {}
    for (const [key, value] of Object.entries(request.body ?? {})) merged[key] = Object.assign(merged[key] ?? {}, value)
    return { isAdmin: {}.isAdmin ?? null }
  })
}
`,
})

// Pollutes the prototypes of this whole process, as an attack would. The site runs in it.
function checkPrototypes(t: Test, title: string) {
  t.strictSame(Object.keys(Object.prototype), [], `${title}: nothing is in every object`)
  const fresh: Record<string, unknown> = {}
  for (const name of ['isAdmin', 'statusCode', 'polluted']) t.equal(fresh[name], undefined, title)
  t.equal(Object.getOwnPropertyDescriptor(Function.prototype, 'isAdmin'), undefined)
  t.equal(typeof Object.prototype.toString, 'function')
}

t.test('a thrown value that imitates a refusal is a failure, and reveals nothing', async (t) => {
  const { app, failuresOf } = await serve(t, dir)
  for (const [n, text] of FORGED.entries()) {
    for (const method of ['GET', 'POST'] as const) {
      for (const headers of [HTML, JSON_ONLY, { ...HTML, ...navigationHeaders(dir) }]) {
        const isNavigation = 'hydrant-build' in headers
        const url = `/throws?n=${n}${isNavigation ? '&_hydrant' : ''}`
        const response = await app.inject({ method, url, headers })
        const title = `${method} ${text.slice(0, 60)}`.replace(/[#\\]/g, ' ')
        if (!isNavigation) t.equal(response.statusCode, 500, title)
        const said = JSON.stringify([response.headers, response.body])
        t.notMatch(said, /postgres:|hunter22|evil\.example|7K3M9QZD-0F4XTB|x-leak/, title)
        t.notOk('location' in response.headers, title)
        t.equal(failuresOf(response).length, 1, `${title}: one line`)
      }
    }
    const response = await app.inject({ url: `/rejects?n=${n}`, headers: HTML })
    t.notMatch(response.body, /postgres:|hunter22|evil\.example|7K3M9QZD-0F4XTB/, 'later, neither')
  }
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
  const { app } = await serve(t, dir)
  for (const payload of POLLUTING) {
    for (const url of ['/echo', '/merge', '/_hydrant/report', '/echo?_hydrant', '/nowhere']) {
      for (const accept of [HTML, JSON_ONLY]) {
        const headers = { ...accept, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
        const { statusCode } = await app.inject({ method: 'POST', url, headers, payload })
        t.ok(statusCode < 500, `${url} ${payload}: ${statusCode}`)
        checkPrototypes(t, payload)
      }
    }
  }
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
  const { app, get } = await serve(t, dir)
  for (const name of NAMES) {
    const query = new URLSearchParams([
      [name, 'true'],
      [name, 'false'],
    ]).toString()
    const page = await get(`/echo?${query}`, JSON_ONLY)
    t.equal(page.statusCode, 200, name)
    t.match(page.json(), { names: [name, name] }, 'it is a name as any other')
    const data = await app.inject({
      url: marked(`/echo?${query}`),
      headers: { ...HTML, ...navigationHeaders(dir) },
    })
    t.equal(data.statusCode, 200)
    t.equal((await get(`/echo?${query}`)).statusCode, 200, 'nobody can make a page fail that gives its query back')
    const urlencoded = { ...JSON_ONLY, 'content-type': 'application/x-www-form-urlencoded' }
    const form = await app.inject({ method: 'POST', url: '/echo', headers: urlencoded, payload: query })
    t.equal(form.statusCode, 200)
    const multipart = { ...JSON_ONLY, 'content-type': 'multipart/form-data; boundary=b' }
    const payload = `--b\r\ncontent-disposition: form-data; name="${name}"; __proto__="a"\r\n\r\ntrue\r\n--b--\r\n`
    const parts = await app.inject({ method: 'POST', url: '/echo', headers: multipart, payload })
    t.equal(parts.statusCode, 200)
    checkPrototypes(t, name)
  }
})
