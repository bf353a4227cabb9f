import { setTimeout as sleep } from 'node:timers/promises'
import { memo, type ReactNode, Suspense, use } from 'react'
import t from 'tap'
import { HttpError, type LoadContext, redirect } from '../../../src/server/index.ts'
import type { PageProps } from '../../../src/shared/react.ts'
import { testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { HTML, JSON_ONLY } from '../served.ts'

type Load = (ctx: LoadContext) => unknown

/** Returns a layout with one load around a page with the other. */
const pair = (name: string, ofLayout: Load, ofPage: Load) => ({
  [`/${name}/layout`]: {
    Component: ({ children, data }: { children: ReactNode; data: unknown }) => (
      <section title={String(data)}>{children}</section>
    ),
    load: ofLayout,
  },
  [`/${name}/index`]: { Component: ({ data }: PageProps) => <p>{String(data)}</p>, load: ofPage },
})

const layoutLoad = () => 'of the layout'
const pageLoad = () => 'of the page'
const forever = () => new Promise(() => {})
/** Returns a load that throws, after some turns. */
const throwing =
  (create: () => unknown, turns = 0) =>
  async () => {
    for (let turn = 0; turn < turns; turn++) await null
    throw create()
  }

// Each load waits until the other has begun. One after the other would wait forever.
const meeting = { arrived: 0, both: Promise.resolve(), open() {} }
meeting.both = new Promise((resolve) => {
  meeting.open = resolve
})
const meet = (result: string) => async () => {
  if (++meeting.arrived === 2) meeting.open()
  await meeting.both
  return result
}

let failLate = () => {}
/** Why the load of `/slow-page` was aborted. */
let aborted: unknown
const untilAborted = (signal: AbortSignal) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', resolve)
  })
const isAborted = ({ signal }: LoadContext) => signal.aborted

class Money {}

const site = {
  ...pair('together', meet('of the layout'), meet('of the page')),
  ...pair(
    'redirect-over-failure',
    async () => {
      await null
      await null
      redirect('/login')
    },
    throwing(() => new Error('only for members')),
  ),
  ...pair(
    'refusal-over-redirect',
    throwing(() => new HttpError(403, 'Members only'), 1),
    async () => redirect('/login'),
  ),
  ...pair(
    'page-refuses',
    layoutLoad,
    throwing(() => new HttpError(409, 'Taken')),
  ),
  ...pair(
    'both-fail',
    throwing(() => new Error('of the layout'), 2),
    throwing(() => new Error('of the page')),
  ),
  ...pair(
    'stopped',
    throwing(() => new Error('of the layout')),
    async ({ signal }) => {
      await untilAborted(signal)
      throw signal.reason
    },
  ),
  ...pair('slow-layout', forever, pageLoad),
  ...pair('slow-page', layoutLoad, async ({ signal }) => {
    await untilAborted(signal)
    aborted = signal.reason
  }),
  ...pair('slow-both', forever, forever),
  ...pair('many-queries', layoutLoad, async ({ signal }) => {
    const query = () =>
      new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
        setImmediate(resolve)
      })
    await Promise.all(Array.from({ length: 20 }, query))
    return 'of the page'
  }),
  ...pair('silent', isAborted, isAborted),
  ...pair(
    'text',
    layoutLoad,
    throwing(() => 'a string'),
  ),
  ...pair(
    'layout-text',
    throwing(() => 'a string'),
    pageLoad,
  ),
  '/layout-later/layout': {
    Component: ({ children, data }: { children: ReactNode; data: { later: Promise<never> } }) => (
      <section>
        <Suspense fallback="wait">
          <Later {...data} />
        </Suspense>
        {children}
      </section>
    ),
    load: () => ({ later: sleep(5).then(throwing(() => 'a string')) }),
  },
  '/layout-later/index': {},
  '/late-failure': {
    async load() {
      await new Promise<void>((resolve) => {
        failLate = resolve
      })
      throw new Error('no database')
    },
  },
  '/late-signal': {
    async load({ signal }: LoadContext) {
      await new Promise((resolve) => {
        signal.onabort = resolve
      })
      throw new Error('the query was stopped')
    },
  },
  '/unserializable': { load: async () => ({ user: { save: new Money() } }) },
  '/responds': { load: async () => new Response() },
  '/unserializable-later': { load: () => ({ later: sleep(5, { user: { save() {} } }) }) },
}

function Later({ later }: { later: Promise<never> }) {
  return use(later)
}

const { get, log, failuresOf } = await testSite(t, site, { timeouts: { loadMs: 150, renderMs: 1_000 } })

t.test('the loads of layouts and page run at the same time', async (t) => {
  const response = await get('/together')
  t.equal(response.statusCode, 200)
  t.match(response.body, '<section title="of the layout"><p>of the page</p></section>')
})

t.test('the outermost redirect or error counts, whichever comes first', async (t) => {
  const moved = await get('/redirect-over-failure')
  t.equal(moved.statusCode, 302)
  t.equal(moved.headers.location, '/login')
  t.strictSame(failuresOf(moved), [], 'what a page fails at before its visitor is turned away is no failure')
  const refused = await get('/refusal-over-redirect')
  t.equal(refused.statusCode, 403)
  t.match(refused.body, '403 Members only')
  const taken = await get('/page-refuses')
  t.equal(taken.statusCode, 409)
  t.match(taken.body, '<section title="of the layout">', 'inside the layout, which has its data')
})

t.test('two failures are two lines, and the outermost is shown', async (t) => {
  const response = await get('/both-fail')
  t.equal(response.statusCode, 500)
  const lines = failuresOf(response)
  t.strictSame(
    lines.map(({ err }) => err?.message),
    ['of the layout', 'of the page'],
  )
  t.equal(response.headers['x-error-digest'], lines[0]?.digest)
  const occurrences = new Set(lines.map(({ digest }) => digest?.slice(9)))
  t.equal(occurrences.size, 1, 'one request, one occurrence')
  t.not(lines[0]?.digest, lines[1]?.digest)
})

t.test('a load that stops because another has thrown has not failed', async (t) => {
  const response = await get('/stopped')
  t.equal(response.statusCode, 500)
  t.strictSame(
    failuresOf(response).map(({ err }) => err?.message),
    ['of the layout'],
  )
})

t.test('a deadline names the pending loads and aborts them', async (t) => {
  for (const [path, pending, others] of [
    ['/slow-layout', ['pages/slow-layout/layout.server.ts'], ['pages/slow-layout/index.server.ts']],
    ['/slow-page', ['pages/slow-page/index.server.ts'], ['pages/slow-page/layout.server.ts']],
    ['/slow-both', ['pages/slow-both/layout.server.ts', 'pages/slow-both/index.server.ts'], []],
  ] as const) {
    for (const headers of [HTML, JSON_ONLY]) {
      const response = await get(path, headers)
      t.equal(response.statusCode, 504, path)
      t.equal(response.headers['cache-control'], 'no-store')
      const [line, ...more] = failuresOf(response)
      t.strictSame(more, [])
      t.match(line, { phase: 'load', digest: response.headers['x-error-digest'], err: { message: /within 150 ms/ } })
      for (const file of pending) t.match(line?.err?.message, `load of ${file}`)
      for (const file of others) t.notMatch(line?.err?.message, file)
    }
  }
  t.match((await get('/slow-page')).body, '<section title="of the layout">', 'a layout that had loaded stays')
  t.match(aborted, { code: 'HYD_LOAD_TIMEOUT' }, 'the reason is what the log says')
})

t.test('a load that fails after its deadline has failed too, unless it has the signal', async (t) => {
  const late = await get('/late-failure')
  t.equal(late.statusCode, 504)
  failLate()
  const failures = await until(() => failuresOf(late).length > 1 && failuresOf(late))
  t.match(failures, [
    { phase: 'load', err: { code: 'HYD_LOAD_TIMEOUT' }, digest: late.headers['x-error-digest'] },
    { phase: 'load', err: { message: 'no database' }, digest: String },
  ])
  const stopped = await get('/late-signal')
  await new Promise(setImmediate)
  t.match(failuresOf(stopped), [{ err: { code: 'HYD_LOAD_TIMEOUT' } }])
  t.equal(failuresOf(stopped).length, 1)
})

t.test('the signal can be given to as many queries as a load makes', async (t) => {
  const warnings: Error[] = []
  const warn = (warning: Error) => void warnings.push(warning)
  process.on('warning', warn)
  t.teardown(() => process.off('warning', warn))
  t.equal((await get('/many-queries', HTML)).statusCode, 200)
  t.strictSame(warnings, [])
})

t.test('the signal of a page whose response was sent has not aborted', async (t) => {
  const before = log.lines.length
  const response = await get('/silent')
  t.match(response.body, '<section title="false"><p>false</p></section>')
  t.strictSame(
    log.lines.slice(before).map(({ msg }) => msg),
    [],
  )
})

t.test('a value without a stack gets the position where it was thrown', async (t) => {
  for (const [path, file] of [
    ['/text', 'pages/text/index.server.ts'],
    ['/layout-text', 'pages/layout-text/layout.server.ts'],
    ['/layout-later', 'pages/layout-later/layout.server.ts'],
  ] as const) {
    const response = await get(path)
    const [line] = failuresOf(response)
    t.match(line?.err, { type: 'string', message: 'a string', stack: new RegExp(file.replaceAll('/', '\\/')) }, path)
  }
})

t.test('data that cannot be serialized is a failure that names the position', async (t) => {
  for (const [path, what] of [
    ['/unserializable', 'data.user.save, which cannot be sent to the browser: an instance of Money'],
    [
      '/responds',
      'data, which cannot be sent to the browser: a Response; call redirect() or notFound(), or read its body',
    ],
    ['/unserializable-later', 'data.later.user.save, which cannot be sent to the browser: a function'],
  ]) {
    const failures = failuresOf(await get(String(path)))
    t.match(failures, [{ err: { message: `load of pages${path}.server.ts returned ${what}` } }])
    t.notMatch(JSON.stringify(failures), 'DevalueError', 'the message is complete without a cause')
  }
})

t.test('a site with an export of the wrong kind does not start', async (t) => {
  for (const [file, site, code] of [
    ['pages/index.server.ts', { '/': { load: { books: [] } } }, 'HYD_FUNCTION_EXPORT'],
    ['pages/index.server.ts', { '/': { action: '1' } }, 'HYD_FUNCTION_EXPORT'],
    ['pages/layout.tsx', { '/': {}, '/layout': { Component: 42 } }, 'HYD_COMPONENT_EXPORT'],
    ['pages/index.tsx', { '/': { Component: <p /> } }, 'HYD_COMPONENT_EXPORT'],
  ] as const)
    await t.rejects(testSite(t, site), { code, message: file })
  const { get } = await testSite(t, { '/': { Component: memo(() => <p>memo</p>) } })
  t.match((await get('/')).body, '<p>memo</p>')
})
