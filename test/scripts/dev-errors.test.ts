// How errors in development are described, listed and printed.

import t from 'tap'
import { BuildError, createProblem } from '../../scripts/build-problem.ts'
import {
  browserName,
  fromBuildError,
  fromFailure,
  fromStart,
  readHydrationMismatch,
} from '../../scripts/dev/errors/dev-errors.ts'
import { createErrorDisplay, createErrorList } from '../../scripts/dev/errors/error-display.ts'
import { formatDevError, formatDevRepeat } from '../../scripts/terminal/format-dev-error.ts'
import { createPaint, toLine } from '../../scripts/terminal/text.ts'
import { shortenMismatch } from '../../src/client/dev/shorten-mismatch.ts'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import type { DevError } from '../../src/shared/wire/dev-protocol.ts'
import { createSite } from './create-site.ts'

const VIEW = { paint: createPaint(false), width: 80 }

const frame = (file: string, line: number, name: string, isSite = true) => ({
  ...{ file, line, column: 9, function: name, isSite },
})

const FAILURE: FailureRecord = {
  ...{ digest: '736AE50V-8XMMSH', fingerprint: '736AE50V', side: 'server', phase: 'load', time: 0 },
  ...{ message: 'no products', route: '/products/[id]', method: 'GET', path: '/products/7', host: 'localhost' },
  ...{ requestId: null, release: '1', userAgent: 'browser', statusSent: 500, isRecovered: false },
  error: {
    type: 'Error',
    message: 'no products\nnone at all',
    stack: [frame('node:timers', 1, 'wait', false), frame('pages/products/[id].server.ts', 3, 'load')],
    cause: { type: 'Error', message: 'no database', stack: [frame('lib/database.ts', 8, 'connect')] },
  },
}

const SITE = { dir: '.', routes: ['/', '/products/[id]'], isLoading: false }

const MISMATCH = `Hydration failed because the server rendered text didn't match the client. As a result this tree will be regenerated on the client. This can happen if a SSR-ed Client Component used:

- Variable input such as \`Date.now()\` or \`Math.random()\` which changes each time it's called.

https://react.dev/link/hydration-mismatch

  <Committed onCommit={function}>
    <Boundary isDocument={true}>
      <Page data={undefined} params={{}} title="Shop">
        <p
+         className="dear"
-         className="cheap"
        >
+         2.00
-         1.00
          ...
`

t.test('a failure is described by its place in the site, its causes and its route', async (t) => {
  t.match(fromFailure(FAILURE, SITE), {
    ...{ id: '736AE50V /products/[id]', kind: 'server', title: 'The load of /products/[id] failed' },
    ...{ message: 'Error: no products\nnone at all', digest: '736AE50V-8XMMSH', path: '/products/7' },
    frame: { file: 'pages/products/[id].server.ts', line: 3, column: 9 },
    causes: [{ message: 'Error: no database' }],
  })
})

t.test('the command that looks up a digest names the site’s folder', async (t) => {
  const commandIn = (dir: string) => fromFailure(FAILURE, { ...SITE, dir }).lookUp
  t.equal(commandIn('.'), 'npx hydrant errors 736AE50V-8XMMSH --dev')
  t.equal(commandIn('my site'), "npx hydrant errors 736AE50V-8XMMSH 'my site' --dev")
})

t.test('a failure of href with a route that does not exist names a similar route', async (t) => {
  const describe = (message: string) =>
    fromFailure({ ...FAILURE, error: { type: 'TypeError', message, stack: [] } }, SITE).fix
  t.equal(
    describe(`href('/products/[idd]'): "idd" is missing or empty`),
    'Correct the route: there is no page /products/[idd]; did you mean /products/[id]?',
  )
  t.equal(describe(`href('/[x]/y/z'): "x" is missing or empty`), 'Correct the route: there is no page /[x]/y/z.')
  t.equal(describe(`href('/products/[id]'): "id" is missing or empty`), undefined, 'the page exists')
})

t.test('a failure in a browser names the browser and the components', async (t) => {
  const details = { components: [frame('pages/index.tsx', 4, 'Page')], userAgent: 'Mozilla/5.0 Gecko/2 Firefox/146.0' }
  t.match(fromFailure({ ...FAILURE, side: 'client', phase: 'client', route: '*', details }, SITE), {
    ...{ kind: 'browser', title: 'The page /products/7 failed in the browser', browser: 'Firefox 146' },
    componentStack: [{ name: 'Page', place: { file: 'pages/index.tsx', line: 4, column: 9 }, isSite: true }],
  })
})

t.test('a name that exists only in browsers, or only in Node.js, leads to the fix', async (t) => {
  const fixOf = (side: 'client' | 'server', message: string) =>
    fromFailure({ ...FAILURE, side, error: { type: 'ReferenceError', message, stack: [] } }, SITE).fix
  for (const message of ['process is not defined', "Can't find variable: process"]) {
    t.match(fixOf('client', message), /"publicEnv" of "hydrant\/react"/)
  }
  t.equal(fixOf('client', 'processes is not defined'), undefined)
  t.equal(fixOf('server', 'process is not defined'), undefined)
  t.match(fixOf('client', 'Buffer is not defined'), /^Move the code that uses "Buffer" into a \.server\.ts file/)
  t.match(fixOf('server', 'window is not defined'), /^Use "window" in an effect \(useEffect\) or in an event handler/)
  t.equal(fixOf('client', 'window is not defined'), undefined)
  t.equal(fixOf('server', 'widow is not defined'), undefined)
  const element = 'Element type is invalid: expected a string (for built-in components) but got:'
  t.match(fixOf('server', `${element} object.`), /default import of a CommonJS package/)
  t.equal(fixOf('server', `${element} undefined. You likely forgot to export it.`), undefined)
  t.equal(fixOf('client', `${element} object.`), undefined)
  for (const message of [
    "The requested module './types-ATJY4XXU.1.js' does not provide an export named 'Item'",
    "The requested module 'http://localhost/types-ATJY4XXU.1.js' doesn't provide an export named: 'Item'",
    "Importing binding name 'Item' is not found.",
  ])
    t.match(fixOf('client', message), /^If "Item" is a type, write "export type \{ Item \} from …"/, message)
})

t.test('a hydration difference is read from the message of React', async (t) => {
  const error = fromFailure(
    {
      ...FAILURE,
      side: 'client',
      phase: 'client',
      error: { ...FAILURE.error, message: MISMATCH },
    },
    SITE,
  )
  t.equal(error.kind, 'hydration')
  t.equal(error.message, "Hydration failed because the server rendered text didn't match the client.")
  t.strictSame(error.diff, [
    { side: 'both', text: '<Page title="Shop">' },
    { side: 'both', text: '  <p' },
    { side: 'browser', text: '    className="dear"' },
    { side: 'server', text: '    className="cheap"' },
    { side: 'both', text: '  >' },
    { side: 'browser', text: '    2.00' },
    { side: 'server', text: '    1.00' },
    { side: 'both', text: '    ...' },
  ])
  t.equal(readHydrationMismatch('Hydration of a melon'), null)
})

t.test('the browser shortens such a message from above, so that the difference remains', async (t) => {
  const deep = MISMATCH.replace('  <Committed', `${'  <Deep>\n'.repeat(500)}  <Committed`)
  const short = shortenMismatch(deep, 2_000)
  t.ok(short.length <= 2_000)
  t.match(readHydrationMismatch(short)?.diff.at(-1), { side: 'both', text: /\.\.\.$/ })
  t.equal(shortenMismatch('another message', 5), 'another message')
})

t.test('a problem of the build is shown with the code around it', async (t) => {
  const dir = createSite(t, { 'pages/index.tsx': 'one\ntwo\nthree\n' })
  const at = { file: 'pages/index.tsx', line: 2, column: 1, lineText: 'two' }
  const gone = { file: 'pages/gone.tsx', line: 9, column: 1, lineText: 'gone' }
  const problems = [at, gone].map((location) => createProblem('HYD_BUILD_SYNTAX', ['odd'], location))
  const [first, second] = fromBuildError(new BuildError(problems), dir)
  t.match(first, { kind: 'build', code: 'HYD_BUILD_SYNTAX', frame: { line: 2, code: { firstLine: 1 } } })
  t.strictSame(first?.frame?.code?.lines.slice(0, 3), ['one', 'two', 'three'])
  t.strictSame(second?.frame?.code, { firstLine: 9, lines: ['gone'] }, 'the file is no longer there')
  t.strictSame(fromStart({ title: 'The site does not build', error: new BuildError(problems), source: null }, dir), [
    first,
    second,
  ])
})

t.test('any thrown value can keep a site from starting', async (t) => {
  const dir = createSite(t, {})
  const cause = new Error('inner')
  cause.cause = cause
  const error = Object.assign(new TypeError('outer', { cause }), {
    stack: 'x\n    at start (server.ts:1:2)\n    at node:vm:1:2',
  })
  const [described] = fromStart({ title: 'server.ts failed', error, source: null }, dir)
  t.match(described, { kind: 'server', message: 'TypeError: outer', frame: { file: 'server.ts', line: 1, column: 2 } })
  t.strictSame(
    described?.stack.map(({ isSite }) => isSite),
    [true, false],
  )
  t.equal(described?.causes?.length, 5, 'a circle ends')
  t.match(fromStart({ title: 'server.ts failed', error: 7, source: null }, dir), [{ message: '7', frame: null }])
})

t.test('the terminal shows an error with its place, its causes and the site’s frames', async (t) => {
  const code = { firstLine: 1, lines: ['one', 'two', 'three', 'four', 'five', 'six', 'seven'] }
  const error: DevError = { ...fromFailure(FAILURE, SITE), frame: { file: 'a.ts', line: 3, column: 2, code } }
  t.strictSame(formatDevError(error, VIEW), [
    'Server error  The load of /products/[id] failed',
    'Error: no products',
    '  none at all',
    'Digest 736AE50V-8XMMSH, see: npx hydrant errors 736AE50V-8XMMSH --dev',
    '',
    'a.ts:3:2',
    '    1 | one',
    '    2 | two',
    '  > 3 | three',
    '      |  ^',
    '    4 | four',
    '    5 | five',
    '    6 | six',
    '  at load (pages/products/[id].server.ts:3:9)',
    '',
    'Caused by: Error: no database',
    '  at connect (lib/database.ts:8:9)',
    '',
  ])
  t.equal(
    formatDevRepeat(error, VIEW),
    'Server error  The load of /products/[id] failed: Error: no products (again, digest 736AE50V-8XMMSH)',
  )
})

t.test('no text of an error can control the terminal', async (t) => {
  const error: DevError = {
    ...{
      id: '1',
      kind: 'browser',
      title: 'a\u001b[2J',
      message: 'b\u001b[2J\nc\u202e',
      fix: 'd\r',
      browser: 'e\u0007',
    },
    diff: [{ side: 'server', text: 'f\u001b[2J' }],
    frame: { file: 'g\u001b.ts', line: 1, column: 1, code: { firstLine: 1, lines: ['h\u001b[2J'] } },
    stack: [{ name: 'i\u001b', place: null, isSite: true }],
    componentStack: [{ name: 'j\u001b', place: null, isSite: true }],
    causes: [{ message: 'k\u001b', stack: [] }],
  }
  for (const line of [...formatDevError(error, VIEW), formatDevRepeat(error, VIEW)]) t.equal(toLine(line), line)
})

t.test('the list replaces an error that occurs again, and is cleared by kind and path', async (t) => {
  const list = createErrorList()
  const seen: string[][] = []
  const unsubscribe = list.subscribe((errors) => seen.push(errors.map(({ id }) => id)))
  const error = (id: string, kind: DevError['kind'], path?: string): DevError => ({
    ...{ id, kind, title: '', message: '', frame: null, stack: [], componentStack: [] },
    ...(path === undefined ? {} : { path }),
  })
  list.add([error('a', 'build'), error('b', 'server', '/b')])
  list.add([error('a', 'build')])
  list.add([])
  list.add([error('c', 'browser', '/b')])
  t.ok(list.has('c'))
  list.clear({ path: '/other' })
  list.clear({ kind: 'server', path: '/b' })
  list.clear({ path: '/b' })
  t.strictSame(
    list.current().map(({ id }) => id),
    ['a'],
  )
  list.clear()
  list.clear()
  t.strictSame(seen, [['a', 'b'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'c'], ['a'], []], 'unchanged lists are not sent')
  unsubscribe()
  list.add(Array.from({ length: 30 }, (_, index) => error(String(index), 'browser')))
  t.equal(list.current().length, 20)
  t.equal(seen.length, 6)
})

t.test('knows the names of browsers', async (t) => {
  const webkit = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  for (const [agent, name] of [
    [`${webkit} Chrome/156.0.0.0 Safari/537.36`, 'Chrome 156'],
    [`${webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.1.2`, 'Edge 156'],
    [`${webkit} Version/26.1 Safari/605.1.15`, 'Safari 26'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0', 'Firefox 146'],
    ['curl/8.0', null],
  ] as const) {
    t.equal(browserName(agent), name)
  }
})

t.test('a check of the whole site keeps the failures that are displayed, and a change removes them', async (t) => {
  const display = createErrorDisplay({ dir: '.', base: () => '/', onErrors() {}, formatErrors: () => '' })
  const shown = () => display.list.current().map(({ kind }) => kind)
  const problem = createProblem('HYD_BUILD_SYNTAX', ['odd'])
  display.show([fromFailure(FAILURE, SITE)])
  await display.recover([{ problem, routes: ['/'], pages: [] }], null)
  t.strictSame(shown(), ['server', 'build'])
  await display.recover([], ['pages/index.tsx'])
  t.strictSame(shown(), [])
})
