import { connect } from 'node:net'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { ReactNode } from 'react'
import t from 'tap'
import type { GuardContext, LoadContext } from '../../../src/server/index.ts'
import type { ErrorPageProps, PageProps } from '../../../src/shared/react.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { linesOfResponse, marked } from '../lines.ts'
import { HTML, JSON_ONLY } from '../served.ts'

type Guard = (ctx: Omit<GuardContext, 'context'> & { context: Record<string, unknown> }) => unknown

/** What has run. */
const ran: string[] = []
/** What a test wants the guards to do. */
let guards: Record<string, Guard> = {}
/** What the site waits for before it sends a response. */
let sending = Promise.resolve()

/** Returns a guard that notes that it has run. */
const guard =
  (name: string): Guard =>
  async (ctx) => {
    ran.push(name)
    return guards[name]?.(ctx)
  }
/** Returns a load or an action that does. */
const noting =
  (name: string) =>
  ({ context }: LoadContext) => {
    ran.push(name)
    return { ...context }
  }

interface LayoutProps {
  data: unknown
  children: ReactNode
}
const layout = (name: string) => ({
  Component: ({ data, children }: LayoutProps) => (
    <section>
      {name} {JSON.stringify(data)} {children}
    </section>
  ),
})
const Component = ({ data }: PageProps) => <p>page {JSON.stringify(data)}</p>

const site = {
  '/layout': {
    Component: ({ data, children }: LayoutProps) => (
      <html lang="en">
        <body>
          root {JSON.stringify(data)} {children}
        </body>
      </html>
    ),
    guard: guard('root'),
    load: noting('root load'),
  },
  '/not-found': () => <p>nothing here</p>,
  '/error': ({ status, message, digest }: ErrorPageProps) => (
    <p>
      {status}|{message}|{digest}
    </p>
  ),
  '/': {},
  '/team/[team]/layout': { ...layout('team'), guard: guard('team'), load: noting('team load') },
  '/team/[team]/(staff)/layout': { ...layout('staff'), guard: guard('staff') },
  '/team/[team]/(staff)/desk': {
    Component,
    guard: guard('desk'),
    load: noting('desk load'),
    action: noting('desk action'),
  },
  '/lands/layout': { ...layout('lands'), guard: guard('lands') },
  '/lands/[land]/layout': { ...layout('land'), guard: guard('land') },
  '/lands/[land]/(club)/layout': { ...layout('club'), guard: guard('club') },
  '/lands/[land]/(club)/towns/layout': { ...layout('towns'), guard: guard('towns') },
  '/plain/layout': { ...layout('plain'), load: noting('plain load') },
  '/plain/leaf': { Component, guard: guard('leaf'), action: noting('leaf action') },
  '/open': { Component },
  '/own': { Component, guard: guard('own') },
  '/late': {
    Component,
    load: ({ context }: { context: { promise: Promise<never> } }) => context.promise,
    guard: () => ({ promise: Promise.reject(new Error('late')) }),
  },
}

async function server(app: FastifyInstance) {
  app.addHook('preHandler', async ({ headers }) => {
    if (headers['x-late']) throw Object.assign(new Error('late hook'), { statusCode: 403 })
  })
  app.addHook('onSend', async (_request, _reply, payload) => {
    await sending
    return payload
  })
  app.addHook('onRequest', async ({ url }) => {
    if (url.includes('hook')) throw Object.assign(new Error('not today'), { statusCode: 403 })
  })
}

const { app, get, failuresOf, log } = await testSite(t, site, { server, timeouts: { loadMs: 300 } })
const NAVIGATION = { ...HTML, ...navigationHeaders() }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

t.beforeEach(() => {
  ran.length = 0
  guards = {}
})

const textOf = ({ body }: LightMyRequestResponse) =>
  body
    .replace(/<script.*?<\/script>/gs, '')
    .replaceAll('<!-- -->', '')
    .replaceAll('&quot;', '"')

t.test('guards run before the loads, the outermost first, once for each request', async (t) => {
  const all = ['root', 'team', 'staff', 'desk']
  const loads = ['root load', 'team load', 'desk load']
  const requests = [
    ['a document', 'GET', '/team/a/desk', HTML, [...all, ...loads]],
    ['HEAD', 'HEAD', '/team/a/desk', HTML, [...all, ...loads]],
    ['JSON', 'GET', '/team/a/desk', JSON_ONLY, [...all, ...loads]],
    ['a navigation', 'GET', marked('/team/a/desk'), NAVIGATION, [...all, ...loads]],
    ['an action', 'POST', '/team/a/desk', { ...HTML, ...FORM }, [...all, 'desk action', ...loads]],
    ['an action for JSON', 'PUT', '/team/a/desk', { ...JSON_ONLY, ...FORM }, [...all, 'desk action']],
    [
      'an action in place',
      'POST',
      marked('/team/a/desk'),
      { ...NAVIGATION, ...FORM },
      [...all, 'desk action', ...loads],
    ],
    ['a page without loads', 'GET', '/own', HTML, ['root', 'own', 'root load']],
    ['a method that the page does not have', 'POST', '/own', HTML, ['root', 'own']],
  ] as const
  const failing = await findFailing(
    requests,
    async ([, method, url, headers]) => {
      ran.length = 0
      await app.inject({ method, url, headers })
      return [...ran]
    },
    ([, , , , expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('browsers keep no page with guards for the Back button, unless a guard or a load allows it', async (t) => {
  for (const headers of [HTML, JSON_ONLY, { accept: 'text/markdown' }])
    t.equal((await get('/team/a/desk', headers)).headers['cache-control'], 'private, no-store')
  guards = { desk: ({ reply }) => void reply.header('cache-control', 'private, max-age=5') }
  t.equal((await get('/team/a/desk', HTML)).headers['cache-control'], 'private, max-age=5')
  // As a hook that means the public pages.
  guards = {
    root: ({ reply }) =>
      void reply.headers({ 'cache-control': 'public, s-maxage=60', 'cdn-cache-control': 'max-age=60' }),
  }
  const { headers } = await get('/team/a/desk', HTML)
  t.match(headers, { 'cache-control': 'private, no-store', 'cdn-cache-control': undefined })
})

t.test('all loads and actions below see what the guards returned', async (t) => {
  guards = {
    root: () => ({ user: 'ada', role: 'guest' }),
    team: ({ context, params }) => ({ role: 'member', seen: { ...context }, team: params.team }),
    desk: ({ context }) => ({ last: context.role }),
  }
  const expected = { user: 'ada', role: 'member', seen: { user: 'ada', role: 'guest' }, team: 'a', last: 'member' }
  t.strictSame((await get('/team/a/desk', JSON_ONLY)).json(), expected)
  const acted = await app.inject({ method: 'POST', url: '/team/a/desk', headers: { ...JSON_ONLY, ...FORM } })
  t.strictSame(acted.json(), expected)
  const response = await get('/open')
  t.match(textOf(response), 'root {"user":"ada","role":"guest"}', 'each request has a context of its own')
})

t.test('the context contains nothing but the results', async (t) => {
  let context: Record<string, unknown> = {}
  guards.root = (ctx) => {
    context = ctx.context
    return JSON.parse('{"__proto__":{"isAdmin":true},"toString":1}')
  }
  await get('/own')
  t.equal(Object.getPrototypeOf(context), null)
  t.notOk('isAdmin' in context)
  t.equal(context.toString, 1)
})

t.test('the error of a guard is shown inside the layouts whose guards have run before', async (t) => {
  const refuse = () => {
    throw Object.assign(new Error('members only'), { statusCode: 403 })
  }
  const shown: Record<string, string[]> = {
    root: [],
    team: ['root load'],
    staff: ['root load', 'team load'],
    desk: ['root load', 'team load'],
  }
  const names = Object.keys(shown)
  for (const [index, name] of names.entries()) {
    guards = { [name]: refuse }
    const refused = names.slice(0, index + 1)
    const requests = [
      ['GET', '/team/a/desk', HTML],
      ['POST', '/team/a/desk', { ...HTML, ...FORM }],
      ['GET', marked('/team/a/desk'), NAVIGATION],
      ['POST', marked('/team/a/desk'), { ...NAVIGATION, ...FORM }],
    ] as const
    const failing = await findFailing(
      requests,
      async ([method, url, headers]) => {
        ran.length = 0
        const { statusCode, body, headers: sent } = await app.inject({ method, url, headers })
        const { 'cache-control': caching, 'hydrant-acted': acted } = sent
        const isStored = !String(caching).includes('no-store')
        return { statusCode, isShown: body.includes('members only'), isStored, acted, ran: [...ran] }
      },
      () => ({
        statusCode: 403,
        isShown: true,
        isStored: false,
        acted: undefined,
        ran: [...refused, ...(shown[name] ?? [])],
      }),
    )
    t.strictSame(failing, [], name)
    ran.length = 0
    const json = await get('/team/a/desk', JSON_ONLY)
    t.match(json.json(), { status: 403, detail: 'members only' })
    t.strictSame(ran, refused, 'no load runs for JSON')
  }
})

t.test('around an action that a guard refuses, a layout loads only if it has a guard', async (t) => {
  // Hooks from `preValidation` on, which may protect the load, have not run.
  guards.leaf = () => {
    throw Object.assign(new Error('no'), { statusCode: 403 })
  }
  for (const [method, expected] of [
    ['GET', ['root', 'leaf', 'root load', 'plain load']],
    ['POST', ['root', 'leaf', 'root load']],
  ] as const) {
    ran.length = 0
    const response = await app.inject({ method, url: '/plain/leaf', headers: HTML })
    t.equal(response.statusCode, 403)
    t.strictSame(ran, expected, method)
  }
})

t.test('a guard may redirect, end with the 404 page, and set headers', async (t) => {
  guards.own = ({ reply }) => {
    reply.header('set-cookie', 'from=/own')
    throw Object.assign(new Error(''), { statusCode: 404 })
  }
  const missing = await get('/own')
  t.equal(missing.statusCode, 404)
  t.match(textOf(missing), 'nothing here')
  t.equal(missing.headers['set-cookie'], 'from=/own')
  t.strictSame(log.errors(), [])
})

t.test('a guard that sends a response ends the request, also without returning it', async (t) => {
  for (const way of ['returned', 'not returned'] as const) {
    for (const isSlow of [false, true]) {
      guards.own = ({ reply }) => {
        const sent = reply.redirect('/sign-in')
        return way === 'returned' ? sent : undefined
      }
      sending = isSlow ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve()
      for (const method of ['GET', 'POST'] as const) {
        ran.length = 0
        const response = await app.inject({ method, url: '/own', headers: HTML })
        t.match(response, { statusCode: 302, headers: { location: '/sign-in' } }, `${way} ${isSlow} ${method}`)
        t.strictSame(ran, ['root', 'own'], 'no load and no action runs')
      }
    }
  }
  const sent = await app.inject({ method: 'POST', url: marked('/own'), headers: NAVIGATION })
  t.strictSame(linesOfResponse(sent), [['redirect', '/sign-in']])
})

t.test('a guard that throws is a failure with its line', async (t) => {
  guards.team = () => {
    throw 'a secret text'
  }
  for (const [method, headers] of [
    ['GET', HTML],
    ['GET', JSON_ONLY],
    ['POST', { ...HTML, ...FORM }],
  ] as const) {
    const response = await app.inject({ method, url: '/team/a/desk', headers })
    t.equal(response.statusCode, 500)
    t.notMatch(response.body, 'secret')
    const [failure, ...others] = failuresOf(response)
    t.strictSame(others, [])
    t.match(failure, {
      phase: 'guard',
      route: '/team/[team]/desk',
      digest: response.headers['x-error-digest'],
      err: { stack: /guard \(pages\/team\/\[team\]\/layout\.server\.ts/ },
    })
  }
})

t.test('a result that is not a plain object is a failure', async (t) => {
  class User {}
  for (const [result, got] of [
    [true, 'got true'],
    [false, 'got false'],
    [null, 'got null'],
    ['/sign-in', 'got "/sign-in"'],
    [[], 'got an array'],
    [new User(), 'got an instance of User'],
    [() => {}, 'got a function'],
  ] as const) {
    guards.own = () => result
    const response = await get('/own')
    t.equal(response.statusCode, 500, got)
    t.match(failuresOf(response), [
      { phase: 'guard', err: { message: `must return a plain object or undefined; ${got}` } },
    ])
  }
  guards.own = () => Object.assign(Object.create(null), { fine: 1 })
  t.equal((await get('/own')).statusCode, 200)
})

t.test('all guards together have the deadline of the loads', async (t) => {
  guards.team = () => new Promise(() => {})
  for (const [method, headers] of [
    ['GET', HTML],
    ['POST', { ...HTML, ...FORM }],
  ] as const) {
    ran.length = 0
    const response = await app.inject({ method, url: '/team/a/desk', headers })
    t.equal(response.statusCode, 504)
    const message = /did not finish within 300 ms; pending: guard of pages\/team\/\[team\]\/layout\.server\.ts/
    t.match(failuresOf(response), [{ phase: 'guard', err: { message } }])
    t.strictSame(ran, ['root', 'team', 'root load'], 'the layout around it still loads')
  }
})

t.test('a promise in the context that nothing awaits does not end the process', async (t) => {
  const response = await get('/late')
  t.equal(response.statusCode, 500)
  t.match(failuresOf(response), [{ phase: 'load', err: { message: 'late' } }])
})

t.test('guards of folders run for unknown paths below them, in the order of the folders', async (t) => {
  const requests = [
    ['GET', '/nowhere', ['root', 'root load']],
    ['GET', '/team', ['root', 'root load']],
    ['HEAD', '/nowhere', ['root']],
    ['GET', '/lands/a%20b/none', ['root', 'lands', 'land', 'root load']],
    ['POST', '/lands/a%20b/none', ['root', 'lands', 'land']],
    ['DELETE', '/lands/a/towns/none', ['root', 'lands', 'land', 'club', 'towns']],
  ] as const
  const failing = await findFailing(
    requests,
    async ([method, url]) => {
      ran.length = 0
      const response = await app.inject({ method, url, headers: HTML })
      const isShown = method !== 'GET' || textOf(response).includes('nothing here')
      return { status: response.statusCode, isShown, ran: [...ran] }
    },
    ([, , expected]) => ({ status: 404, isShown: true, ran: expected }),
  )
  t.strictSame(failing, [])
})

t.test('a guard refuses unknown paths inside the root layout', async (t) => {
  const params: unknown[] = []
  guards.land = (ctx) => {
    params.push({ ...ctx.params, ...ctx.context })
    throw Object.assign(new Error('not your land'), { statusCode: 403 })
  }
  guards.lands = () => ({ user: 'ada' })
  const response = await get('/lands/a%20b/none')
  t.equal(response.statusCode, 403)
  t.match(textOf(response), 'root {"user":"ada"} <p>403|not your land|</p>')
  t.equal((await get('/lands/x/none', JSON_ONLY)).json().detail, 'not your land')
  t.strictSame(params, [
    { land: 'a b', user: 'ada' },
    { land: 'x', user: 'ada' },
  ])
})

t.test('an error of a hook is shown without the layouts whose guards have not run', async (t) => {
  const hooked = await get('/own?hook')
  t.equal(hooked.statusCode, 403)
  t.match(hooked.body, '<body>root')
  t.strictSame(ran, ['root', 'root load'], 'the guard of the root layout runs before its load')
  guards.root = () => {
    throw Object.assign(new Error('sign in'), { statusCode: 401 })
  }
  ran.length = 0
  const refused = await get('/own?hook')
  t.equal(refused.statusCode, 403, 'the hook decides')
  t.notMatch(refused.body, '<body>root')
  t.strictSame(ran, ['root'])
  guards = {}
  ran.length = 0
  const late = { ...HTML, ...FORM, 'x-late': '1' }
  t.equal((await app.inject({ method: 'POST', url: '/team/a/desk', headers: late })).statusCode, 403)
  t.strictSame(ran, ['root', 'team', 'staff', 'desk'], 'no load for a visitor whom a hook refuses')
  ran.length = 0
  const posted = await app.inject({ method: 'POST', url: '/team/a/desk?hook', headers: HTML })
  t.equal(posted.statusCode, 403)
  t.strictSame(ran, [])
})

t.test('an upload that a guard refuses does not hold the connection', async (t) => {
  guards.desk = () => {
    throw Object.assign(new Error('no'), { statusCode: 403 })
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  const body = 'a'.repeat(200_000)
  const head = (method: string, more: string[]) =>
    [`${method} /team/a/desk HTTP/1.1`, 'Host: localhost', 'Accept: text/html', ...more, '', ''].join('\r\n')
  const answers = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    const type = 'Content-Type: multipart/form-data; boundary=b'
    socket.write(head('POST', [type, `Content-Length: ${body.length}`]) + body)
    socket.write(`${head('POST', ['Connection: close', type, 'Content-Length: 3'])}abc`)
  })
  t.equal(answers.match(/HTTP\/1\.1 403/g)?.length, 2, 'the second request of the connection gets its response')
})

t.test('a site whose guard is not a function does not start', async (t) => {
  for (const guard of [true, undefined]) {
    const message = new RegExp(`the guard of pages/own\\.server\\.ts must be a function; got ${guard}`)
    await t.rejects(testSite(t, { '/own': { guard } }), { code: 'HYD_GUARD_EXPORT', message })
  }
})
