// The response to a navigation: lines of JSON, each sent as soon as it is known.

import type { FastifyInstance } from 'fastify'
import type { ReactNode } from 'react'
import t from 'tap'
import { HttpError, type LoadContext, notFound, redirect } from '../../../src/server/index.ts'
import type { ErrorPageProps, PageProps } from '../../../src/shared/react.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { askSocket, createGates, linesOfResponse, listen, marked, pick } from '../lines.ts'
import type { Served } from '../served.ts'

const gates = createGates()
const Component = ({ data }: PageProps) => <p>{String(data)}</p>
const Layout = ({ children }: { children: ReactNode }) => <section>{children}</section>

/** Returns a load that waits at a gate. */
const waitAt =
  (name: string, result?: string, from = gates) =>
  async ({ signal }: LoadContext) => {
    const gate = from.gate(name)
    signal.addEventListener('abort', () => gate.leave(signal.reason))
    gate.arrive()
    await gate.opened
    return result
  }

const site = {
  '/layout': {
    Component: ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <head />
        <body>{children}</body>
      </html>
    ),
    async load() {
      gates.count('root')
      return { name: 'of the root' }
    },
  },
  '/slow': { Component, load: waitAt('slow', 'slow at last') },
  '/order/layout': { Component: Layout, load: waitAt('order-layout', 'layout') },
  '/order/index': { Component, load: waitAt('order-page', 'page') },
  '/later': {
    Component,
    load: async () => ({ later: gates.gate('later').opened, broken: gates.gate('broken').opened }),
  },
  '/never': { Component, load: async () => ({ later: new Promise(() => {}), list: [new Promise(() => {})] }) },
  '/users/[id]/layout': {
    Component: Layout,
    async load({ params }: LoadContext) {
      gates.count(`user ${params.id}`)
      return params.id
    },
  },
  '/users/[id]/index': { Component },
  '/users/[id]/posts': { Component },
  '/fails': {
    async load() {
      throw new Error('secret text')
    },
  },
  '/layout-fails/layout': {
    Component: Layout,
    async load() {
      await null
      throw new Error('secret text')
    },
  },
  '/layout-fails/index': { Component },
  '/redirects': { load: async () => redirect('/slow?from=here#part') },
  '/elsewhere': { load: async () => redirect(new URL('https://example.com/x')) },
  '/missing': { load: async () => notFound() },
  '/members': {
    async load() {
      throw new HttpError(403, 'Members </script> only')
    },
  },
  '/whole': {
    Component,
    stream: false,
    async load({ reply, url }: LoadContext) {
      await null
      reply.header('set-cookie', 'a=1')
      if (url.search) throw new Error('no')
      return 'whole'
    },
  },
  '/cookie': {
    Component,
    async load(ctx: LoadContext) {
      await waitAt('cookie')(ctx)
      ctx.reply.header('set-cookie', 'late=1')
      if (ctx.url.search) redirect('/slow')
      return 'with a cookie'
    },
  },
  '/hostile': { Component, load: async () => '</script>\u2028\n<!--' },
  '/unserializable': { load: async () => ({ user: { save() {} } }) },
  '/not-found': () => <h1>nothing here</h1>,
  '/error': ({ message }: ErrorPageProps) => <h1>{message}</h1>,
}

async function server(app: FastifyInstance) {
  app.addHook('onRequest', async ({ query }, reply) => {
    if ('two' in Object(query)) reply.header('set-cookie', 'hook=1').header('set-cookie', 'hook=2')
  })
  app.addHook('onSend', async ({ query }, reply) => {
    await null
    if ('session' in Object(query)) reply.header('set-cookie', 'session=1')
  })
}

const fresh = navigationHeaders()
const served = await testSite(t, site, { server })
const origin = await listen(t, served.app)

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
  const hurried = await testSite(t, site, { timeouts: { renderMs: 100 } })
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
  const { lines } = await ask('/users/7/posts', navigationHeaders(keys))
  t.match(lines, [
    ['start', { kept: 2 }],
    ['data', 2],
  ])
  t.equal(gates.counts['user 7'], 1)
  t.equal(gates.counts.root, before)
  const other = await ask('/users/8/posts', navigationHeaders(keys))
  t.match(other.lines, [['start', { kept: 1, params: { id: '8' } }], ['data'], ['data']])
  t.equal(gates.counts['user 8'], 1, 'a layout below [id] is another one for another id')
  t.equal(gates.counts.root, before)
  const spaced = await ask('/users/7%208', navigationHeaders(await keysOf('/users/7')))
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
  t.match(missing.lines.at(-1), ['shown', 1, { kind: 'notFound', file: /not-found/ }])
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
  const closed = createGates()
  const again = await testSite(t, { '/slow': { load: waitAt('slow', '', closed) } })
  const asking = await askSocket(marked(`${await listen(t, again.app)}/slow`), fresh)
  const gate = closed.gate('slow')
  await gate.reached
  asking.leave()
  t.match(await gate.left, { name: 'AbortError' })
  t.strictSame(again.log.errors(), [])
})

t.test('a load that takes too long is a failure with 504', async (t) => {
  const site = { '/layout': { load: () => null }, '/slow': { load: waitAt('slow', '', createGates()) } }
  const hurried = await testSite(t, site, { timeouts: { loadMs: 20 } })
  const { response, lines } = await ask('/slow', fresh, hurried)
  const [failure] = hurried.failuresOf(response)
  t.match(lines.at(-1), ['shown', 1, { kind: 'shown' }, { status: 504, digest: failure?.digest }])
})
