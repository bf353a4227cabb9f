import t from 'tap'
import { marked, navigationHeaders } from '../lines.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const page =
  "import { Suspense, use } from 'react'\nfunction Part({ of }) {\n  return <b>{use(of)}</b>\n}\n" +
  "export default function Page({ data }) {\n  return <main><Suspense fallback='waits'><Part of={data.part} /></Suspense></main>\n}\n"

t.test('a promise that rejects with a thenable is a failure, and ends', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/index.tsx': page,
    'pages/index.server.ts':
      "export const load = () => ({\n  part: new Promise((_, reject) => setImmediate(() => reject({ then: (_, no) => no('inner secret'), statusCode: 400 }))),\n})\n",
  })
  const { get, failuresOf } = await serve(t, dir, { ledger: false })
  const document = await get('/')
  const [failure, ...more] = failuresOf(document)
  t.strictSame(more, [])
  t.match(document.body, String(failure?.digest))
  t.notMatch(document.body, 'inner secret')
  const json = await get('/', JSON_ONLY)
  t.equal(json.statusCode, 500)
  t.match(json.headers['content-type'], 'application/problem+json')
})

t.test(
  'code that rejects because the deadline aborted it is not a failure of its own, whatever it rejects with',
  async (t) => {
    const dir = await buildFiles(t.testdir({}), {
      'pages/index.tsx': page,
      'pages/index.server.ts':
        "export const load = ({ signal }) => ({\n  part: new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Proxy({}, {})))),\n})\n",
    })
    const { get, failuresOf } = await serve(t, dir, { ledger: false, timeouts: { renderMs: 100 } })
    const document = await get('/')
    const [failure, ...more] = failuresOf(document)
    t.match(failure?.err?.message, 'not complete within 100 ms')
    t.strictSame(more, [])
    const digests = document.body.match(/[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}/g)
    t.strictSame([...new Set(digests)], [failure?.digest], 'one digest in the document')
  },
)

t.test('a promise that rejects with an unreadable value is a failure, wherever the data holds it', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/index.tsx': page.replace('data.part', "data.map.get('key')"),
    'pages/index.server.ts':
      "export const load = () => {\n  const part = new Promise((_, reject) => setImmediate(() => reject(new Proxy({}, { get() { throw 1 } }))))\n  return { part, map: new Map([['key', part]]) }\n}\n",
  })
  const { get, failuresOf } = await serve(t, dir, { ledger: false })
  const document = await get('/')
  const [failure, ...more] = failuresOf(document)
  t.strictSame(more, [])
  t.match(document.body, String(failure?.digest))
  t.match(document.body, '</html>')
})

t.test('a query builder in the data sends its query once, in each format', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/layout.tsx':
      'export default function Layout({ children }) {\n  return <html><head /><body>{children}</body></html>\n}\n',
    // With a second load, the first value has to wait.
    'pages/layout.server.ts': 'export const load = () => new Promise((resolve) => setImmediate(resolve))\n',
    'pages/index.tsx': page,
    'pages/index.server.ts': `import { sent } from '../server.ts'
class Query {
  then(resolve) {
    sent.push('select')
    return new Promise((done) => setImmediate(done, ['a row'])).then(resolve)
  }
}
export const load = () => ({ part: new Query(), list: [{ more: new Query() }] })
`,
    'server.ts':
      "export const sent = []\nexport default async function server(app) {\n  app.get('/sent', async () => sent.splice(0).length)\n}\n",
  })
  const { get } = await serve(t, dir, { ledger: false })
  for (const [url, headers] of [
    ['/', HTML],
    ['/', JSON_ONLY],
    [marked('/'), navigationHeaders(dir)],
  ] as const) {
    const response = await get(url, headers)
    t.equal(response.statusCode, 200)
    t.match(response.body, 'a row')
    t.equal((await get('/sent', JSON_ONLY)).body, '2', headers.accept ?? url)
  }
})
