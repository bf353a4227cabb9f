import t from 'tap'
import { buildFiles, JSON_ONLY, serve } from '../served.ts'

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
