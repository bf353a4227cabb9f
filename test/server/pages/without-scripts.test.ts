import t from 'tap'
import { reportPages } from '../../../scripts/build/page-report.ts'
import { BUILD_HEADER, LAYOUTS_HEADER, NAVIGATION_MARK } from '../../../src/shared/wire/navigation-protocol.ts'
import { buildSharing } from '../../shared-compression.ts'
import { buildFiles, type Files, HTML, JSON_ONLY, serve } from '../served.ts'

const page = (body: string) => `import { Suspense, use } from 'react'
export const hydrate = false
export default function Page({ data, actionData }) {
  ${body}
}
`

const files: Files = {
  'pages/plain.tsx': page('return <><p>{data.text}</p><p>{actionData}</p><a href="/">back</a></>'),
  'pages/plain.server.ts': `globalThis.ran = 0
export const load = () => ({ text: 'plain', later: new Promise((resolve) => setImmediate(resolve, 'deferred')) })
export const action = async ({ form }) => {
  globalThis.ran++
  return 'sent ' + form.get('name')
}
`,
  'pages/parts.tsx': page(`function Part() {
    return <p>{use(data.part)}{'x'.repeat(20_000)}</p>
  }
  return <Suspense fallback="waiting"><Part /></Suspense>`),
  'pages/parts.server.ts':
    "export const load = () => ({ part: new Promise((resolve) => setImmediate(resolve, 'the part')) })\n",
  'pages/broken.tsx': page('throw new Error("broken")'),
  'pages/broken-part.tsx': page(`function Part() {
    throw new Error('broken part')
  }
  return <><h1>whole</h1><Suspense fallback="waiting"><Part /></Suspense></>`),
  'pages/cached.tsx': page('return <p>{String(data)}</p>'),
  'pages/cached.server.ts': 'export const cache = { maxAgeS: 60 }\nlet run = 0\nexport const load = () => ++run\n',
}

let dir = ''
t.before(async () => {
  dir = await buildFiles(t.testdir(), files)
})

const POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"

t.test('the document has no script, no data and no preload links, and its policy forbids scripts', async (t) => {
  const { get } = await serve(t, dir)
  for (const url of ['/plain', '/parts', '/cached']) {
    const { body, headers, statusCode } = await get(url)
    t.equal(statusCode, 200, url)
    t.notMatch(body, /<script|<template|modulepreload|nonce|__hydrant/, url)
    t.equal(headers['content-security-policy'], POLICY, url)
    t.ok(headers.etag, url)
  }
  t.match((await get('/')).body, '<script', 'another page of the site has scripts')
})

t.test('parts that wait are in their place, in a document that is not streamed', async (t) => {
  const { get } = await serve(t, dir)
  const { body, headers } = await get('/parts')
  t.match(body, /<p>the part<!-- -->x{20000}<\/p>/)
  t.notMatch(body, /waiting|hidden/)
  t.equal(headers['content-length'], String(Buffer.byteLength(body)))
})

t.test('the data is still available as JSON', async (t) => {
  const { get } = await serve(t, dir)
  t.strictSame((await get('/plain', JSON_ONLY)).json(), { text: 'plain', later: 'deferred' })
})

t.test('a form is handled as by any page without JavaScript', async (t) => {
  const { app } = await serve(t, dir)
  const form = { method: 'POST' as const, url: '/plain', payload: 'name=Ada' }
  const headers = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
  const { body, headers: sent } = await app.inject({ ...form, headers })
  t.match(body, '<p>sent Ada</p>')
  t.notMatch(body, '<script')
  t.equal(sent['content-security-policy'], POLICY)
})

t.test('a hydrated page is told to load the document, before a load or an action runs', async (t) => {
  const { app, get } = await serve(t, dir)
  const build = /"build":"(\w+)"/.exec((await get('/')).body)?.[1] ?? ''
  const headers = { ...HTML, [BUILD_HEADER]: build, [LAYOUTS_HEADER]: '', 'sec-fetch-site': 'same-origin' }
  for (const url of ['/plain', '/cached', '/broken']) {
    const { body } = await get(`${url}?${NAVIGATION_MARK}`, headers)
    t.equal(body, '["load"]\n', url)
  }
  const before: unknown = Reflect.get(globalThis, 'ran')
  const { body } = await app.inject({
    method: 'POST',
    url: `/plain?${NAVIGATION_MARK}`,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'name=Ada',
  })
  t.equal(body, '["load"]\n')
  t.equal(Reflect.get(globalThis, 'ran'), before)
})

t.test('a failure shows the fallback, without a script', async (t) => {
  const { get } = await serve(t, dir)
  for (const url of ['/broken', '/broken-part']) {
    const { body, headers, statusCode } = await get(url)
    t.equal(statusCode, 500, url)
    t.match(body, '<div class="hydrant-failure" role="alert">', url)
    t.match(body, String(headers['x-error-digest']), url)
    t.notMatch(body, /<script|<noscript/, url)
    t.equal(headers['content-security-policy'], POLICY, url)
  }
  t.match((await get('/broken-part')).body, '<h1>whole</h1>')
})

t.test('a stored document has the same policy each time', async (t) => {
  const { get } = await serve(t, dir)
  const first = await get('/cached')
  const second = await get('/cached')
  t.equal(second.body, first.body)
  t.equal(second.headers.etag, first.headers.etag)
  t.equal(second.headers['content-security-policy'], POLICY)
})

t.test('the report of the build counts no scripts for it', async (t) => {
  const pages = reportPages(await buildSharing({ dir }))
  t.match(
    pages.find(({ url }) => url === '/plain'),
    { pageJs: 0, js: 0 },
  )
  t.ok(pages.find(({ url, js }) => url === '/' && js > 0))
})

t.test('another value than false is an error', async (t) => {
  const dir = await buildFiles(t.testdir(), {
    'pages/index.tsx': 'export const hydrate = Boolean(1)\nexport default () => <p>page</p>\n',
  })
  const message = 'the export "hydrate" of pages/index.tsx must be false; got true'
  await t.rejects(serve(t, dir), { code: 'HYD_HYDRATE_EXPORT', message })
})
