import t from 'tap'
import { until } from '../../until.ts'
import { buildFiles, type Files, HTML, JSON_ONLY, serve } from '../served.ts'

const page = (body: string) => `export default function Page({ data }) {\n  return ${body}\n}\n`
const layout =
  'export default function Layout({ children, data }) {\n  return <section title={String(data)}>{children}</section>\n}\n'
const load = (body: string) =>
  `import { HttpError, notFound, redirect } from 'hydrant'\nvoid [HttpError, notFound, redirect]\nexport const load = async (ctx) => {\n${body}\n}\n`

/** Returns a layout with one load around a page with the other. */
const pair = (name: string, ofLayout: string, ofPage: string): Files => ({
  [`pages/${name}/layout.tsx`]: layout,
  [`pages/${name}/layout.server.ts`]: load(ofLayout),
  [`pages/${name}/index.tsx`]: page('<p>{String(data)}</p>'),
  [`pages/${name}/index.server.ts`]: load(ofPage),
})

// Each load waits until the other has begun. One after the other would wait forever.
const meeting =
  'globalThis.hydrantMeeting ??= (() => { const meeting = { arrived: 0 }; meeting.both = new Promise((resolve) => { meeting.arrive = () => { if (++meeting.arrived === 2) resolve() } }); return meeting })()'
const arrive = `  ${meeting}\n  globalThis.hydrantMeeting.arrive()\n  await globalThis.hydrantMeeting.both\n`

const site: Files = {
  ...pair('together', `${arrive}  return 'of the layout'`, `${arrive}  return 'of the page'`),
  ...pair(
    'redirect-over-failure',
    "  await null\n  await null\n  redirect('/login')",
    "  throw new Error('only for members')",
  ),
  ...pair('refusal-over-redirect', "  await null\n  throw new HttpError(403, 'Members only')", "  redirect('/login')"),
  ...pair('page-refuses', "  return 'of the layout'", "  throw new HttpError(409, 'Taken')"),
  ...pair(
    'both-fail',
    "  await null\n  await null\n  throw new Error('of the layout')",
    "  throw new Error('of the page')",
  ),
  ...pair(
    'stopped',
    "  throw new Error('of the layout')",
    "  await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))",
  ),
  ...pair('slow-layout', '  await new Promise(() => {})', "  return 'of the page'"),
  ...pair(
    'slow-page',
    "  return 'of the layout'",
    "  await new Promise((resolve) => ctx.signal.addEventListener('abort', () => { globalThis.hydrantAborted = ctx.signal.reason; resolve() }))",
  ),
  ...pair('slow-both', '  await new Promise(() => {})', '  await new Promise(() => {})'),
  ...pair(
    'many-queries',
    "  return 'of the layout'",
    "  const query = () => new Promise((resolve) => { ctx.signal.addEventListener('abort', resolve); setImmediate(resolve) })\n  await Promise.all(Array.from({ length: 20 }, query))\n  return 'of the page'",
  ),
  ...pair('silent', '  return ctx.signal.aborted', '  return ctx.signal.aborted'),
  ...pair('text', "  return 'of the layout'", "  throw 'a string'"),
  ...pair('layout-text', "  throw 'a string'", "  return 'of the page'"),
  'pages/layout-later/layout.tsx':
    'import { Suspense, use } from \'react\'\nfunction Later({ promise }) { return use(promise) }\nexport default function Layout({ children, data }) {\n  return <section><Suspense fallback="wait"><Later promise={data.later} /></Suspense>{children}</section>\n}\n',
  'pages/layout-later/layout.server.ts':
    "export const load = () => ({ later: new Promise((_, reject) => setTimeout(() => reject('a string'), 5)) })\n",
  'pages/layout-later/index.tsx': page('<p>page</p>'),
  'pages/late-failure.tsx': page('<p>never</p>'),
  'pages/late-failure.server.ts':
    "export const load = async () => {\n  await new Promise((resolve) => setTimeout(resolve, 1_000))\n  throw new Error('no database')\n}\n",
  'pages/late-signal.tsx': page('<p>never</p>'),
  'pages/late-signal.server.ts':
    "export const load = async ({ signal }) => {\n  await new Promise((resolve) => { signal.onabort = resolve })\n  throw new Error('the query was stopped')\n}\n",
  'pages/unserializable.tsx': page('<p>never</p>'),
  'pages/unserializable.server.ts': load('  class Money {}\n  return { user: { save: new Money() } }'),
  'pages/unserializable-getter.tsx': page('<p>never</p>'),
  'pages/unserializable-getter.server.ts': load(
    "  return { cart: { get total() {\n    throw new Error('no total')\n  } } }",
  ),
  'pages/responds.tsx': page('<p>never</p>'),
  'pages/responds.server.ts': load('  return new Response()'),
  'pages/unserializable-later.tsx': page('<p>page</p>'),
  'pages/unserializable-later.server.ts': load(
    '  return { later: new Promise((resolve) => setTimeout(() => resolve({ user: { save() {} } }), 5)) }',
  ),
}

const dir = await buildFiles(t.testdir({}), site)
const { get, log, failuresOf } = await serve(t, dir, { timeouts: { loadMs: 150, renderMs: 1_000 } })

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
  const { hydrantAborted } = globalThis as { hydrantAborted?: unknown }
  t.match(hydrantAborted, { code: 'HYD_LOAD_TIMEOUT' }, 'the reason is what the log says')
})

t.test('a load that fails after its deadline has failed too, unless it has the signal', async (t) => {
  const late = await get('/late-failure')
  t.equal(late.statusCode, 504)
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
  const [thrown] = failuresOf(await get('/unserializable-getter'))
  t.match(JSON.stringify(thrown), /no total.*unserializable-getter\.server\.ts:5:/, 'the cause names a line')
})

t.test('a site with an export of the wrong kind does not start', async (t) => {
  // The build does not know the value of a call.
  for (const [file, code, error] of [
    ['pages/index.server.ts', 'export const load = Object({ books: [] })', 'HYD_FUNCTION_EXPORT'],
    ['pages/index.server.ts', 'export const action = String(1)', 'HYD_FUNCTION_EXPORT'],
    ['pages/layout.tsx', 'export default Number(42)', 'HYD_COMPONENT_EXPORT'],
    [
      'pages/index.tsx',
      "import { createElement } from 'react'\nexport default createElement('p')",
      'HYD_COMPONENT_EXPORT',
    ],
  ] as const) {
    const broken = await buildFiles(t.testdir({}), { [file]: code })
    await t.rejects(serve(t, broken), { code: error, message: file })
  }
  const memo = await buildFiles(t.testdir({}), {
    'pages/index.tsx': "import { memo } from 'react'\nexport default memo(() => <p>memo</p>)",
  })
  const { get } = await serve(t, memo)
  t.match((await get('/')).body, '<p>memo</p>')
})
