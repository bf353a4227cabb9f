import t from 'tap'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const MAX_LENGTH = 10_000
const long = `'long '.repeat(${MAX_LENGTH / 5})`

const page = (body: string) =>
  `import { Suspense, use } from 'react'\nfunction Later({ promise, children }) { use(promise); return children }\nexport default function Page({ data }) {\n  return ${body}\n}\n`
const later = 'export const load = () => ({ later: new Promise((resolve) => setTimeout(resolve, 5)) })\n'

const dir = await buildFiles(t.testdir({}), {
  'pages/layout.tsx':
    'export default function Layout({ children }) {\n  return <html><body><nav>the site</nav>{children}</body></html>\n}\n',
  'pages/whole.tsx': page(`<p>{${long}}</p>`),
  'pages/whole.server.ts': "export const load = () => 'data'\n",
  'pages/shell.tsx': page(
    `<><p>{${long}}</p><Suspense fallback="wait"><Later promise={data.later}>late</Later></Suspense></>`,
  ),
  'pages/shell.server.ts': later,
  'pages/later.tsx': page(
    `<><h1>shell</h1><Suspense fallback="wait"><Later promise={data.later}>{${long}}</Later></Suspense></>`,
  ),
  'pages/later.server.ts': later,
  'pages/endless.tsx': `import { Suspense, use } from 'react'
function Part({ level }) {
  use(promiseOf(level))
  return <><p>{'part '.repeat(100)}</p><Suspense fallback="wait"><Part level={level + 1} /></Suspense></>
}
const promises = []
function promiseOf(level) {
  promises[level] ??= new Promise((resolve) => setImmediate(resolve))
  return promises[level]
}
export default function Page() {
  return <><h1>shell</h1><Suspense fallback="wait"><Part level={0} /></Suspense></>
}
`,
})

const served = await serve(t, dir, { limits: { maxDocumentLength: MAX_LENGTH } })

t.test('a document that is too long before anything was sent is a failure', async (t) => {
  for (const path of ['/whole', '/shell']) {
    const response = await served.get(path)
    t.equal(response.statusCode, 500, path)
    t.match(response.body, /<nav>the site<\/nav>.*Application error: a server-side exception/s, 'in the page’s place')
    t.match(response.body, String(response.headers['x-error-digest']))
    t.ok(response.body.length < MAX_LENGTH)
    const failures = served.failuresOf(response)
    t.match(failures, [{ phase: 'render', err: { message: 'the document is longer than 10000 characters' } }])
    t.equal(failures.length, 1)
    t.notOk('statusSent' in (failures[0] ?? {}))
  }
  const crawled = await served.get('/later', { ...HTML, 'user-agent': 'Googlebot/2.1' })
  t.equal(crawled.statusCode, 500)
  t.equal((await served.get('/whole', JSON_ONLY)).body, '"data"', 'its data is as it was')
})

t.test('a document that becomes too long ends with the failure', async (t) => {
  for (const path of ['/later', '/endless']) {
    const response = await served.get(path)
    t.equal(response.statusCode, 200, path)
    const failures = served.failuresOf(response)
    t.match(failures, [{ phase: 'stream', statusSent: 200, digest: String }])
    t.equal(failures.length, 1)
    const { body } = response
    t.match(body, '<h1>shell</h1>')
    t.match(body, new RegExp(`<noscript>.*${failures[0]?.digest}.*</body></html>$`, 's'))
    t.ok(body.length < 2.5 * MAX_LENGTH, `${body.length} characters`)
  }
})
