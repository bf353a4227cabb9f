import { AsyncLocalStorage } from 'node:async_hooks'
import t from 'tap'
import type { Instrument } from '../../../src/server/metrics/instrument.ts'
import { until } from '../../until.ts'
import { marked, navigationHeaders } from '../lines.ts'
import { buildFiles, JSON_ONLY, serve } from '../served.ts'

/** The step in which code of the site runs. The site writes into it. */
interface Span {
  name: string
  marks: string[]
  error?: string | null
}

const storage = new AsyncLocalStorage<Span>()
Object.assign(globalThis, { hydrantMark: (mark: string) => storage.getStore()?.marks.push(mark) })

const page = (body: string) => `import { Suspense, use } from 'react'
function Part({ of }) {
  return use(of)
}
export default function Page({ data }) {
  globalThis.hydrantMark?.('component')
  return <main>${body}</main>
}
`

const dir = await buildFiles(t.testdir({}), {
  'pages/layout.tsx':
    'export default function Layout({ children }) {\n  return <html><head /><body>{children}</body></html>\n}\n',
  'pages/layout.server.ts':
    "export async function guard() {\n  await null\n  globalThis.hydrantMark('guard')\n}\nexport async function load() {\n  await null\n  globalThis.hydrantMark('layout')\n}\n",
  'pages/index.tsx': page('<Suspense fallback="waits"><Part of={data.late} /></Suspense>'),
  'pages/index.server.ts': `import { invalidForm, redirect } from 'hydrant'
export function load() {
  globalThis.hydrantMark('page')
  return { late: new Promise((resolve) => setImmediate(resolve, 'late text')) }
}
export async function action({ form }) {
  globalThis.hydrantMark('action')
  if (form.get('to')) redirect('/')
  if (form.get('bad')) invalidForm({ bad: 'no' })
  throw new RangeError('no stock')
}
`,
  'pages/text.tsx': page('text'),
  'pages/text.server.ts': "export const load = () => {\n  throw 'a text'\n}\n",
  'pages/broken.tsx': page('{data.missing.part}'),
  'pages/refused.tsx': page('refused'),
  'pages/refused.server.ts':
    "import { HttpError, notFound } from 'hydrant'\nexport const load = ({ url }) => {\n  if (url.search) notFound()\n  throw new HttpError(403, 'Members only')\n}\n",
})

/** Serves the site with an option that records each step. */
async function record(t: Parameters<typeof serve>[0]) {
  const spans: Span[] = []
  const instrument: Instrument = async ({ name }, run) => {
    const span: Span = { name, marks: [] }
    spans.push(span)
    const { error } = await storage.run(span, run)
    span.error = error && String(error.cause ?? error)
  }
  const served = await serve(t, dir, { ledger: false, instrument })
  return { ...served, take: () => spans.splice(0).sort((one, other) => one.name.localeCompare(other.name)) }
}

const LAYOUT = 'pages/layout.server.ts'
const PAGE = 'pages/index.server.ts'

t.test('each step of a document runs inside the option', async (t) => {
  const { get, take } = await record(t)
  const { statusCode, body } = await get('/')
  t.equal(statusCode, 200)
  t.match(body, 'late text')
  t.strictSame(take(), [
    { name: 'deferred data.late', marks: [], error: null },
    { name: `guard ${LAYOUT}`, marks: ['guard'], error: null },
    { name: `load ${PAGE}`, marks: ['page'], error: null },
    { name: `load ${LAYOUT}`, marks: ['layout'], error: null },
    { name: 'render /', marks: ['component'], error: null },
  ])
})

t.test('JSON and navigations have the same steps, except rendering', async (t) => {
  const { get, take } = await record(t)
  t.equal((await get('/', JSON_ONLY)).body, '{"late":"late text"}')
  t.strictSame(
    take().map(({ name }) => name),
    [`guard ${LAYOUT}`, `load ${PAGE}`, `load ${LAYOUT}`],
  )
  t.match((await get(marked('/'), navigationHeaders(dir))).body, 'late text')
  t.strictSame(
    take().map(({ name }) => name),
    ['deferred data.late', `guard ${LAYOUT}`, `load ${PAGE}`, `load ${LAYOUT}`],
  )
})

t.test('a failure is the error of its step', async (t) => {
  const { get, app, take } = await record(t)
  const errorsOf = () => take().flatMap(({ name, error }) => (error === null ? [] : [`${name}: ${error}`]))
  t.equal((await get('/text')).statusCode, 500)
  t.strictSame(errorsOf(), ['load pages/text.server.ts: a text'])
  t.equal((await get('/broken')).statusCode, 500)
  t.match(errorsOf(), [/^render \/broken: TypeError: Cannot read properties of undefined/])
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const send = (payload: string) => app.inject({ method: 'POST', url: '/', payload, headers })
  t.equal((await send('amount=1')).statusCode, 500)
  t.strictSame(errorsOf(), [`action ${PAGE}: RangeError: no stock`])
  t.equal((await send('to=home')).statusCode, 303)
  t.equal((await send('bad=yes')).statusCode, 422)
  t.equal((await get('/refused')).statusCode, 403)
  t.equal((await get('/refused?missing')).statusCode, 404)
  t.strictSame(errorsOf(), [], 'a redirect, a refused form, a refusal and a 404 are no errors')
})

t.test('the option cannot change or stop a step', async (t) => {
  const calls: string[] = []
  const instrument: Instrument = ({ kind }, run) => {
    calls.push(kind)
    if (kind === 'guard') throw new Error('of the option')
    if (kind === 'load') return 'something else'
    void run()
    return run().then(() => Promise.reject(new Error('later')))
  }
  const { get, log } = await serve(t, dir, { ledger: false, instrument })
  const { statusCode, body } = await get('/')
  t.equal(statusCode, 200)
  t.match(body, 'late text')
  t.ok(calls.includes('guard') && calls.includes('load') && calls.includes('render'))
  await until(() => log.lines.some(({ msg }) => msg === 'the option "instrument" threw'))
  const warnings = log.lines.filter(({ msg }) => msg === 'the option "instrument" threw')
  t.match(warnings, [{ level: 40, err: { message: 'of the option' } }], 'one line a minute')
})
