// The response to a navigation: lines of JSON, each sent as soon as it is known.

import t from 'tap'
import {
  askSocket,
  GATES,
  gatesOfLast,
  linesOfResponse,
  listen,
  load,
  marked,
  navigationHeaders,
  pick,
  waitAt,
} from '../lines.ts'
import { buildFiles, type Files, type Served, scriptOf, serve } from '../served.ts'

const page = 'export default function Page({ data }) {\n  return <p>{String(data)}</p>\n}\n'
const layout = 'export default function Layout({ children }) {\n  return <section>{children}</section>\n}\n'
const root =
  'export default function Layout({ children }) {\n  return <html><head /><body>{children}</body></html>\n}\n'

const site: Files = {
  'pages/layout.tsx': root,
  'pages/layout.server.ts': load("  ctx.app.count('root')\n  return { name: 'of the root' }"),
  'pages/slow.tsx': page,
  'pages/slow.server.ts': load(waitAt('slow', "'slow at last'")),
  'pages/order/layout.tsx': layout,
  'pages/order/layout.server.ts': load(waitAt('order-layout', "'layout'")),
  'pages/order/index.tsx': page,
  'pages/order/index.server.ts': load(waitAt('order-page', "'page'")),
  'pages/later.tsx': page,
  'pages/later.server.ts': load(
    "  return { later: ctx.app.gate('later').opened, broken: ctx.app.gate('broken').opened }",
  ),
  'pages/never.tsx': page,
  'pages/never.server.ts': load('  return { later: new Promise(() => {}), list: [new Promise(() => {})] }'),
  'pages/users/[id]/layout.tsx': layout,
  'pages/users/[id]/layout.server.ts': load("  ctx.app.count('user ' + ctx.params.id)\n  return ctx.params.id"),
  'pages/users/[id]/index.tsx': page,
  'pages/users/[id]/posts.tsx': page,
  'pages/fails.tsx': page,
  'pages/fails.server.ts': load("  throw new Error('secret text')"),
  'pages/layout-fails/layout.tsx': layout,
  'pages/layout-fails/layout.server.ts': load("  await null\n  throw new Error('secret text')"),
  'pages/layout-fails/index.tsx': page,
  'pages/redirects.tsx': page,
  'pages/redirects.server.ts': load("  redirect('/slow?from=here#part')"),
  'pages/elsewhere.tsx': page,
  'pages/elsewhere.server.ts': load("  redirect(new URL('https://example.com/x'))"),
  'pages/missing.tsx': page,
  'pages/missing.server.ts': load('  notFound()'),
  'pages/members.tsx': page,
  'pages/members.server.ts': load("  throw new HttpError(403, 'Members </script> only')"),
  'pages/whole.tsx': page,
  'pages/whole.server.ts': `export const stream = false\n${load("  await null\n  ctx.reply.header('set-cookie', 'a=1')\n  if (ctx.url.search) throw new Error('no')\n  return 'whole'")}`,
  'pages/cookie.tsx': page,
  'pages/cookie.server.ts': load(
    `${waitAt('cookie', '0').replace(/ {2}return.*/, '')}  ctx.reply.header('set-cookie', 'late=1')\n  if (ctx.url.search) redirect('/slow')\n  return 'with a cookie'`,
  ),
  'pages/hostile.tsx': page,
  'pages/hostile.server.ts': load("  return '</script>\\u2028\\n<!--'"),
  'pages/unserializable.tsx': page,
  'pages/unserializable.server.ts': load('  return { user: { save() {} } }'),
  'pages/not-found.tsx': 'export default function NotFound() {\n  return <h1>nothing here</h1>\n}\n',
  'pages/error.tsx': 'export default function ErrorPage({ message }) {\n  return <h1>{message}</h1>\n}\n',
  'server.ts': `export default async function server(app) {\n  ${GATES}\n  app.addHook('onRequest', async (request, reply) => {\n    if ('two' in request.query) reply.header('set-cookie', 'hook=1').header('set-cookie', 'hook=2')\n  })\n  app.addHook('onSend', async (request, reply) => {\n    await null\n    if ('session' in request.query) reply.header('set-cookie', 'session=1')\n  })\n}\n`,
}

const dir = await buildFiles(t.testdir({}), site)
const fresh = navigationHeaders(dir)
const served = await serve(t, dir)
const origin = await listen(t, served.app)
const gates = gatesOfLast()

async function ask(path: string, headers = fresh, from: Served = served) {
  const response = await from.get(marked(path), headers)
  return { response, lines: linesOfResponse(response) }
}

/** The keys of the layouts in a first line, as the client keeps them. */
async function keysOf(path: string): Promise<string[]> {
  const [start] = pick((await ask(path)).lines, 'start')
  if (!start) throw new Error(`no first line for ${path}`)
  const { layouts, params } = start[1]
  return layouts.map(({ file, params: names = [] }) => [file ?? '', ...names.map((name) => params[name])].join('/'))
}

t.test('the first line comes before a load has finished', async (t) => {
  const asking = await askSocket(marked(`${origin}/slow?q=1`), fresh)
  t.equal(asking.response.status, 200)
  t.match(asking.response.headers.get('content-type'), /^application\/x-ndjson/)
  t.equal(asking.response.headers.get('cache-control'), 'private, no-store')
  t.equal(asking.response.headers.get('x-accel-buffering'), 'no')
  t.ok(asking.response.headers.get('x-request-id'))
  const start = await asking.next()
  t.match(start, ['start', { kept: 0, params: {}, url: `${origin}/slow?q=1`, leaf: { kind: 'page' } }])
  t.strictSame(await asking.next(), ['data', 0, { plain: { name: 'of the root' } }])
  gates.gate('slow').open()
  t.strictSame(await asking.rest(), [['data', 1, { plain: 'slow at last' }]])
})

t.test('data comes in the order in which loads finish', async (t) => {
  const asking = await askSocket(marked(`${origin}/order`), fresh)
  t.equal((await asking.next())?.[0], 'start')
  t.match(await asking.next(), ['data', 0])
  gates.gate('order-page').open()
  t.match(await asking.next(), ['data', 2, { plain: 'page' }])
  gates.gate('order-layout').open()
  t.match(await asking.rest(), [['data', 1, { plain: 'layout' }]])
})

t.test('promises in the data settle later', async (t) => {
  const asking = await askSocket(marked(`${origin}/later`), fresh)
  await asking.next()
  await asking.next()
  t.match(await asking.next(), ['data', 1])
  gates.gate('broken').fail(new Error('secret text'))
  const failed = await asking.next()
  const [failure] = served.log.errors().slice(-1)
  t.strictSame(failed, ['settled', 2, 'failure', failure?.digest])
  gates.gate('later').open('here')
  t.strictSame(await asking.rest(), [['settled', 1, 'value', { plain: 'here' }]])
  t.equal(failure?.phase, 'load')
})

t.test('promises that never settle fail at the deadline, as one failure', async (t) => {
  const hurried = await serve(t, dir, { timeouts: { renderMs: 100 } })
  const { response, lines } = await ask('/never', fresh, hurried)
  const [failure, ...others] = hurried.failuresOf(response)
  t.strictSame(others, [])
  t.strictSame(failure?.pending, ['data.later', 'data.list.0'])
  t.strictSame(
    pick(lines, 'settled').map((line) => line.slice(1)),
    [
      [1, 'failure', failure?.digest],
      [2, 'failure', failure?.digest],
    ],
  )
})

t.test('current layouts are not loaded again', async (t) => {
  const keys = await keysOf('/users/7')
  const before = gates.counts.root
  t.equal(gates.counts['user 7'], 1)
  const { lines } = await ask('/users/7/posts', navigationHeaders(dir, keys))
  t.match(lines, [
    ['start', { kept: 2 }],
    ['data', 2],
  ])
  t.equal(gates.counts['user 7'], 1)
  t.equal(gates.counts.root, before)
  const other = await ask('/users/8/posts', navigationHeaders(dir, keys))
  t.match(other.lines, [['start', { kept: 1, params: { id: '8' } }], ['data'], ['data']])
  t.equal(gates.counts['user 8'], 1, 'a layout below [id] is another one for another id')
  t.equal(gates.counts.root, before)
  const spaced = await ask('/users/7%208', navigationHeaders(dir, await keysOf('/users/7')))
  t.match(spaced.lines[0], ['start', { kept: 1, params: { id: '7 8' } }])
})

t.test('a page of another build loads documents', async (t) => {
  for (const build of [{ 'hydrant-build': 'another' }, { 'hydrant-build': '' }]) {
    const before = gates.counts.root
    const { response, lines } = await ask('/slow', { 'hydrant-layouts': '', ...build })
    t.strictSame(lines, [['load']])
    t.equal(gates.counts.root, before, 'nothing is loaded for it')
    t.equal(response.headers['cache-control'], 'private, no-store')
    t.ok(served.log.lines.some(({ level, reqId }) => level === 30 && reqId === response.headers['x-request-id']))
  }
})

t.test('if a load throws, the digest of the log replaces the page', async (t) => {
  const { response, lines } = await ask('/fails')
  const [failure, ...others] = served.failuresOf(response)
  t.strictSame(others, [])
  t.match(failure, { phase: 'load', route: '/fails', url: '/fails', method: 'GET' })
  t.match(lines.at(-1), ['shown', 1, { kind: 'shown' }, { kind: 'failure', status: 500, digest: failure?.digest }])
  t.ok(String(lines.at(-1)?.[2] && JSON.stringify(lines.at(-1))).includes('"file":"'), 'by the site’s own error page')
  t.notMatch(response.body, 'secret')
  const inner = await ask('/layout-fails')
  t.match(inner.lines.at(-1), ['shown', 1], 'a layout that fails is left out')
  t.equal(served.failuresOf(inner.response).length, 1)
  const unserializable = await ask('/unserializable')
  t.match(unserializable.lines.at(-1), [
    'shown',
    1,
    { kind: 'shown' },
    { digest: served.failuresOf(unserializable.response)[0]?.digest },
  ])
})

t.test('sends redirects, 404 and refusals', async (t) => {
  t.strictSame((await ask('/redirects')).lines.at(-1), ['redirect', '/slow?from=here#part'])
  t.strictSame((await ask('/elsewhere')).lines.at(-1), ['redirect', 'https://example.com/x'])
  const missing = await ask('/missing')
  t.match(missing.lines.at(-1), ['shown', 1, { kind: 'notFound', file: scriptOf(dir, 'pages/not-found.tsx') }])
  const members = await ask('/members')
  t.match(members.lines.at(-1), [
    'shown',
    1,
    { kind: 'shown' },
    { kind: 'refusal', status: 403, message: 'Members </script> only' },
  ])
  for (const { response } of [missing, members]) t.strictSame(served.failuresOf(response), [])
})

t.test('everything is a line of JSON, whatever the data contains', async (t) => {
  const { response, lines } = await ask('/hostile')
  t.strictSame(lines.at(-1), ['data', 1, { plain: '</script>\u2028\n<!--' }])
  t.notMatch(response.body, /<|\u2028/)
})

t.test('a page that asks to be sent whole has its true status and headers', async (t) => {
  const whole = await ask('/whole')
  t.equal(whole.response.headers['set-cookie'], 'a=1')
  t.match(whole.lines, [['start'], ['data'], ['data', 1, { plain: 'whole' }]])
  const failed = await ask('/whole?fail')
  t.equal(failed.response.statusCode, 500)
  t.equal(failed.response.headers['x-error-digest'], served.failuresOf(failed.response)[0]?.digest)
  t.equal(failed.response.headers['set-cookie'], 'a=1')
})

t.test('if a cookie comes too late for the response, the document sets it', async (t) => {
  gates.gate('cookie').open()
  for (const query of ['', '?redirect', '?two', '?session']) {
    const asking = await askSocket(marked(`${origin}/cookie${query}`), fresh)
    const kinds = (await asking.rest()).map(([kind]) => kind)
    t.strictSame(kinds, ['start', 'data', 'load'], `${query}: before the page could have been shown without it`)
  }
})

t.test('a cookie that an onSend hook sets, as session plugins do, is part of the response', async (t) => {
  gates.gate('slow').open()
  const asking = await askSocket(marked(`${origin}/slow?session`), fresh)
  t.strictSame(asking.response.headers.getSetCookie(), ['session=1'])
  const kinds = (await asking.rest()).map(([kind]) => kind)
  t.ok(kinds.includes('data'))
  t.notOk(kinds.includes('load'), 'the page is shown without its document')
})

t.test('a client that disconnects aborts the loads', async (t) => {
  const again = await serve(t, dir)
  const asking = await askSocket(marked(`${await listen(t, again.app)}/slow`), fresh)
  const gate = gatesOfLast().gate('slow')
  await gate.reached
  asking.leave()
  t.match(await gate.left, { name: 'AbortError' })
  t.strictSame(again.log.errors(), [])
})

t.test('a load that takes too long is a failure with 504', async (t) => {
  const hurried = await serve(t, dir, { timeouts: { loadMs: 20 } })
  const { response, lines } = await ask('/slow', fresh, hurried)
  const [failure] = hurried.failuresOf(response)
  t.match(lines.at(-1), ['shown', 1, { kind: 'shown' }, { status: 504, digest: failure?.digest }])
})
