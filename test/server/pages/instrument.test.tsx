import { AsyncLocalStorage } from 'node:async_hooks'
import { type ReactNode, Suspense, use } from 'react'
import t from 'tap'
import {
  type ActionContext,
  HttpError,
  invalidForm,
  type LoadContext,
  notFound,
  redirect,
} from '../../../src/server/index.ts'
import type { Instrument } from '../../../src/server/options/config.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { marked } from '../lines.ts'
import { fingerprintOfResponse, HTML, JSON_ONLY } from '../served.ts'

/** The step in which code of the site runs. The site writes into it. */
interface Span {
  name: string
  marks: string[]
  error?: string | null
}

const storage = new AsyncLocalStorage<Span>()
const mark = (name: string) => void storage.getStore()?.marks.push(name)

interface Late {
  late: Promise<string>
}
const Part = ({ late }: Late) => use(late)

const site = {
  '/layout': {
    Component: ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <head />
        <body>{children}</body>
      </html>
    ),
    async guard() {
      await null
      mark('guard')
    },
    async load() {
      await null
      mark('layout')
    },
  },
  '/': {
    Component({ data }: { data: Late }) {
      mark('component')
      return (
        <main>
          <Suspense fallback="waits">
            <Part {...data} />
          </Suspense>
        </main>
      )
    },
    load(): Late {
      mark('page')
      return { late: new Promise((resolve) => setImmediate(resolve, 'late text')) }
    },
    action({ form }: ActionContext) {
      mark('action')
      if (form.get('to')) redirect('/')
      if (form.get('bad')) invalidForm({ bad: 'no' })
      throw new RangeError('no stock')
    },
  },
  '/text': {
    load() {
      throw 'a text'
    },
  },
  '/broken': ({ data }: { data: { missing: { part: string } } }) => <main>{data.missing.part}</main>,
  '/refused': {
    load({ url }: LoadContext) {
      if (url.search) notFound()
      throw new HttpError(403, 'Members only')
    },
  },
}

/** Serves the site with an option that records each step. */
async function record(t: Parameters<typeof testSite>[0]) {
  const spans: Span[] = []
  const instrument: Instrument = async ({ name }, run) => {
    const span: Span = { name, marks: [] }
    spans.push(span)
    const { error } = await storage.run(span, run)
    span.error = error && String(error.cause ?? error)
  }
  const served = await testSite(t, site, { ledger: false, instrument })
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
  t.match((await get(marked('/'), navigationHeaders())).body, 'late text')
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

/** What thrown values without a stack need: the function that has thrown them. */
const failing = {
  '/late': {
    load: (): Late => ({ late: new Promise((_, reject) => setImmediate(reject, 'late')) }),
    Component: ({ data }: { data: Late }) => <main>{<Part {...data} />}</main>,
  },
  '/': {
    load({ url }: LoadContext) {
      if (url.search) throw 'of the load'
    },
    actions: {
      remove() {
        throw 'of the action'
      },
    },
    Component: () => <main>page</main>,
  },
  '/guarded': {
    guard() {
      throw 'of the guard'
    },
    Component: () => <main>page</main>,
  },
  '/broken': () => {
    throw 'of the component'
  },
}

t.test('a step has its file, and the digest of its failure', async (t) => {
  const found: [name: string, file: string | undefined, digest: string | undefined][] = []
  const instrument: Instrument = async ({ name, file, release }, run) => {
    t.equal(release, 'r-17')
    const { digest } = await run()
    if (digest) found.push([name, file, digest])
  }
  const observed = await testSite(t, failing, { ledger: false, instrument, release: 'r-17' })
  const plain = await testSite(t, failing, { ledger: false })
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  for (const [method, url, name, file] of [
    ['GET', '/?fail', `load ${PAGE}`, PAGE],
    ['POST', '/?/remove', `action ${PAGE}`, PAGE],
    ['GET', '/guarded', 'guard pages/guarded.server.ts', 'pages/guarded.server.ts'],
    ['GET', '/late', 'deferred data.late', 'pages/late.server.ts'],
    ['GET', '/broken', 'render /broken', undefined],
  ] as const) {
    const [response, other] = await Promise.all(
      [observed, plain].map(({ app }) => app.inject({ method, url, headers, payload: method === 'POST' ? 'a=1' : '' })),
    )
    const digest = response?.headers['x-error-digest']
    t.ok(digest, url)
    t.strictSame(found.splice(0)[0], [name, file, digest])
    t.equal(response && fingerprintOfResponse(response), other && fingerprintOfResponse(other), 'as without the option')
  }
})

t.test('loads that a deadline has stopped have the digest of the deadline', async (t) => {
  const found: (string | undefined)[] = []
  const instrument: Instrument = async ({ kind }, run) => {
    const { digest } = await run()
    if (kind === 'load') found.push(digest)
  }
  const waitFor = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const site = {
    '/layout': {
      async load({ signal }: LoadContext) {
        await new Promise(setImmediate)
        await waitFor(signal)
      },
    },
    '/': { load: ({ signal }: LoadContext) => waitFor(signal), Component: () => <main>page</main> },
  }
  const config = { ledger: false, timeouts: { loadMs: 50 } } as const
  const observed = await (await testSite(t, site, { ...config, instrument })).get('/')
  const plain = await (await testSite(t, site, config)).get('/')
  const digest = observed.headers['x-error-digest']
  t.strictSame(found, [digest, digest])
  t.equal(fingerprintOfResponse(observed), fingerprintOfResponse(plain))
})

t.test('what an abort has caused is no error of a step', async (t) => {
  const errors: unknown[] = []
  let ended = 0
  const instrument: Instrument = async ({ kind }, run) => {
    const { error } = await run()
    if (error) errors.push(error.message)
    if (kind === 'load') ended++
  }
  let isWaiting = false
  const site = {
    '/layout': {
      async load({ url }: LoadContext) {
        await null
        if (url.search) throw new Error('of the layout')
      },
    },
    '/': {
      load: ({ signal }: LoadContext) => {
        isWaiting = true
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      Component: () => <main>page</main>,
    },
  }
  const { app, get } = await testSite(t, site, { ledger: false, instrument })
  t.equal((await get('/?fail')).statusCode, 500)
  await until(() => ended === 2)
  t.strictSame(errors.splice(0), ['of the layout'], 'another load has failed')

  isWaiting = false
  const client = new AbortController()
  const left = fetch(await app.listen({ port: 0 }), { headers: HTML, signal: client.signal })
  await until(() => isWaiting)
  client.abort()
  await t.rejects(left)
  await until(() => ended === 4)
  t.strictSame(errors, [], 'the client has left')
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
  const { get, log } = await testSite(t, site, { ledger: false, instrument })
  const { statusCode, body } = await get('/')
  t.equal(statusCode, 200)
  t.match(body, 'late text')
  t.ok(calls.includes('guard') && calls.includes('load') && calls.includes('render'))
  await until(() => log.lines.some(({ msg }) => msg === 'the option "instrument" threw'))
  const warnings = log.lines.filter(({ msg }) => msg === 'the option "instrument" threw')
  t.match(warnings, [{ level: 40, err: { message: 'of the option' } }], 'one line a minute')
})

t.test('the line of an option that throws does not show cookies of the visitor', async (t) => {
  const instrument: Instrument = ({ request }) => {
    throw new Error(`no span for ${request.headers.cookie}`)
  }
  const { get, log } = await testSite(t, site, { ledger: false, instrument })
  await get('/', { ...HTML, cookie: 'user=qz7rkw2x' })
  const line = await until(() => log.lines.find(({ msg }) => msg === 'the option "instrument" threw'))
  t.match(line, { err: { message: 'no span for user=[hidden]' } })
  t.notMatch(JSON.stringify(line), 'qz7rkw2x')
})
