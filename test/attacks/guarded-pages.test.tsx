// Attacks that reach a page, its data or its action past the guard of a folder, one for each way in. CVE-2025-29927: a
// header skipped the check of the login. CVE-2024-51479 and CVE-2025-64765: a path was spelled so that the check did not
// apply to it. In other frameworks the check was in a layout, and a request for the page's data alone did not run it.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'
import type { ReactNode } from 'react'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { buildFolder, readManifest } from '../../src/server/build-output/read-build.ts'
import { HttpError, hydrant, type LayoutGuardContext, redirect, rewriteUrl } from '../../src/server/index.ts'
import { linesOfResponse, marked } from '../server/lines.ts'
import { HTML, JSON_ONLY, serve } from '../server/served.ts'
import { navigationHeaders, writeTestSite } from '../test-site.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'

const SECRET = 'the books of the house'
/** How often a guard has run, and what else has. */
const ran = { guards: 0, others: [] as string[] }

interface Props {
  data?: { secret: string }
  children?: ReactNode
}
const Component = ({ data }: Props) => <p>{data?.secret ?? 'open'}</p>
const Secret = () => <p>{SECRET}</p>
const Layout = ({ data, children }: Props) => (
  <div>
    {data?.secret}
    {children}
  </div>
)
const noting = (what: string) => () => {
  ran.others.push(what)
  return { secret: SECRET }
}
async function guard({ request }: LayoutGuardContext) {
  ran.guards++
  await null
  if (request.headers.authorization !== 'Bearer let-me-in') redirect('/sign-in')
}

const site = {
  '/': { Component },
  '/sign-in': { Component },
  '/admin/layout': { Component: Layout, guard, load: noting('load of the layout') },
  '/admin/index': { Component, load: noting('load'), action: noting('action') },
  '/admin/static': Secret,
  '/admin/(tools)/users/[id]': { Component, load: noting('load of a user'), action: noting('action of a user') },
  '/admin/files/[...path]': { Component, load: noting('load of a file') },
  '/(members)/layout': { Component: Layout, guard },
  '/(members)/club': Secret,
  '/own': { Component: Secret, guard, action: noting('own action') },
}
async function server(app: FastifyInstance) {
  for (const name of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
    const refuse = async ({ url }: { url: string }) => {
      if (url.endsWith(name)) throw Object.assign(new Error('a hook says no'), { statusCode: 403 })
    }
    if (name === 'preParsing') app.addHook(name, refuse)
    else app.addHook(name, refuse)
  }
}
const dir = writeTestSite(t.testdir({}), site, { server })

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const navigation = (layouts: string[] = []) => ({ ...HTML, ...navigationHeaders(layouts) })
const PAGES = ['/admin', '/admin/static', '/admin/users/5', '/admin/files/a/b', '/club', '/own']
const UNKNOWN = ['/admin/nope', '/admin/users', '/admin/users/5/nope', '/admin/index', '/admin/layout.server.ts']
const ACTIONS = ['/admin', '/admin/users/5', '/own']

const { app } = await serve(t, dir)

interface Attack {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  payload?: string
}

type Expect = (response: LightMyRequestResponse, attack: Attack) => boolean

const leadsTo =
  (status: number, location: string): Expect =>
  ({ statusCode, headers }) =>
    statusCode === status && headers.location === location
const tellsToSignIn: Expect = ({ body }) => body === '["redirect","/sign-in"]\n'

/** Sends requests, and checks that the guard has run once for each and has refused it, as expected. */
async function checkRefused(t: Test, attacks: readonly Attack[], isExpected: Expect, target: FastifyInstance = app) {
  const passed: string[] = []
  for (const attack of attacks) {
    ran.guards = 0
    ran.others.length = 0
    const response = await target.inject(attack)
    const { headers, statusCode, body } = response
    const isRefused = ran.guards === 1 && ran.others.length === 0 && !body.includes(SECRET)
    if (!isRefused || 'hydrant-acted' in headers || !isExpected(response, attack))
      passed.push(
        `${JSON.stringify(attack).slice(0, 200)}: ${JSON.stringify([ran, statusCode, headers, body.slice(0, 300)])}`,
      )
  }
  t.ok(attacks.length > 0)
  t.strictSame(passed, [], 'the guard has run once for each, and nothing else has run')
}

t.test('documents, HEAD and JSON', async (t) => {
  const attacks = [...PAGES, ...UNKNOWN].flatMap((url) =>
    (['GET', 'HEAD'] as const).flatMap((method) =>
      [HTML, JSON_ONLY, { accept: '*/*' }, {}].map((headers) => ({ method, url, headers })),
    ),
  )
  const isExpected: Expect = (response, attack) =>
    leadsTo(302, '/sign-in')(response, attack) && response.headers['cache-control'] === 'no-store'
  await checkRefused(t, attacks, isExpected)
})

t.test('a visitor with access gets the pages, so the guard refuses the others', async (t) => {
  const authorization = 'Bearer let-me-in'
  for (const url of PAGES) t.match(await app.inject({ url, headers: { ...HTML, authorization } }), { statusCode: 200 })
  for (const url of UNKNOWN)
    t.match(await app.inject({ url, headers: { ...HTML, authorization } }), { statusCode: 404 })
  for (const url of ACTIONS) {
    const acted = await app.inject({ method: 'POST', url, headers: { ...JSON_ONLY, ...FORM, authorization } })
    t.match(acted, { statusCode: 200, body: new RegExp(SECRET) })
  }
})

t.test('navigations and prefetches, whatever layouts, build and page the client claims', async (t) => {
  const authorization = 'Bearer let-me-in'
  const known = await app.inject({ url: '/admin', headers: { ...HTML, authorization } })
  const keys = [...known.body.matchAll(/[\w-]+\.js/g)].map(([name]) => name)
  const claims: Record<string, string>[] = [
    navigation(),
    navigation(['none', 'none', 'none']),
    navigation(keys),
    { ...navigation(keys), 'hydrant-build': 'another build' },
    { ...navigation(), 'hydrant-acted': '1' },
    { ...navigation(), purpose: 'prefetch', 'sec-purpose': 'prefetch' },
    { ...navigation(), ...JSON_ONLY },
    { ...navigation(), referer: 'http://localhost/admin' },
    { ...navigation(), 'x-middleware-subrequest': 'guard:guard:guard', 'x-original-url': '/', 'x-rewrite-url': '/' },
  ]
  const attacks = PAGES.flatMap((url) => claims.map((headers) => ({ url: marked(url), headers })))
  await checkRefused(t, attacks, tellsToSignIn)
})

t.test('a refusal without a redirect says nothing about the page', async (t) => {
  const vaultDir = writeTestSite(t.testdir({}), {
    '/vault/layout': {
      Component: Layout,
      guard({ request }: LayoutGuardContext) {
        if (!request.headers.authorization) throw new HttpError(403, 'Members only')
      },
    },
    '/vault/index': { Component, form: z.object({ combination: z.string().min(7) }), action: () => 'ok' },
  })
  const vault = await serve(t, vaultDir)
  const script = String(readManifest(buildFolder(vaultDir)).modules['pages/vault/index.tsx']?.js)
  const marks = { ...HTML, ...navigationHeaders() }
  const passed = await vault.app.inject({ url: marked('/vault'), headers: { ...marks, authorization: 'x' } })
  t.match(passed.body, script)
  t.match(passed.body, 'combination')
  for (const method of ['GET', 'POST'] as const) {
    const refused = await vault.app.inject({ method, url: marked('/vault'), headers: { ...marks, ...FORM } })
    t.equal(refused.statusCode, 403)
    t.match(refused.body, 'Members only')
    t.notMatch(refused.body, script)
    t.notMatch(refused.body, 'combination')
  }
})

t.test('navigations to unknown paths', async (t) => {
  for (const url of UNKNOWN) {
    const headers = navigation()
    const attacks = [
      { url: marked(url), headers },
      ...(['POST', 'DELETE'] as const).map((method) => ({
        method,
        url: marked(url),
        headers: { ...headers, ...FORM },
      })),
    ]
    await checkRefused(t, attacks, tellsToSignIn)
    const authorization = 'Bearer let-me-in'
    const passed = await app.inject({ url: marked(url), headers: { ...navigation(), authorization } })
    t.strictSame(linesOfResponse(passed), [['load']])
  }
  ran.guards = 0
  for (const url of ['/nope', '/nope/', '/sign-in/nope', '/_hydrant/nope'])
    t.strictSame(linesOfResponse(await app.inject({ url: marked(url), headers: navigation() })), [['load']], url)
  t.equal(ran.guards, 0)
})

t.test('actions, in each content type, before their body is read', async (t) => {
  const bodies: [type: string, payload: string][] = [
    ['application/x-www-form-urlencoded', 'a=1'],
    ['application/json', '{"a":1}'],
    ['application/json', '{'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'],
    ['multipart/form-data', 'no boundary'],
    ['text/plain', 'a=1'],
    ['application/octet-stream', 'a'],
    ['no/such', 'a'],
    ['application/json\t;charset=utf-8', '{}'],
  ]
  const attacks = ACTIONS.flatMap((url) =>
    (['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({ method, url })),
  )
  const sent = attacks.flatMap((attack) =>
    bodies.map(([type, payload]) => ({ ...attack, payload, headers: { 'content-type': type } })),
  )
  const withHeaders = (more: Record<string, string>) =>
    sent.map((attack) => ({ ...attack, headers: { ...more, ...attack.headers } }))
  await checkRefused(t, withHeaders(HTML), leadsTo(303, '/sign-in'))
  await checkRefused(t, withHeaders(JSON_ONLY), () => true)
  const navigations = withHeaders(navigation()).map((attack) => ({ ...attack, url: marked(attack.url) }))
  await checkRefused(t, navigations, tellsToSignIn)
  const compressed = { ...HTML, ...FORM, 'content-encoding': 'gzip' }
  const disguised = { ...HTML, 'x-http-method-override': 'GET', 'x-method': 'GET' }
  const others = attacks.flatMap((attack) => [
    { ...attack, payload: 'a', headers: compressed },
    { ...attack, headers: disguised },
  ])
  await checkRefused(t, others, () => true)
})

t.test('methods that a page does not have, and unknown paths, do not tell whether the page exists', async (t) => {
  const attacks = (['POST', 'PUT', 'PATCH', 'DELETE'] as const).flatMap((method) =>
    ['/admin/static', '/admin/files/a', ...UNKNOWN].map((url) => ({
      method,
      url,
      headers: { ...HTML, ...FORM },
      payload: 'a=1',
    })),
  )
  const isExpected: Expect = (response, attack) =>
    leadsTo(303, '/sign-in')(response, attack) && !('allow' in response.headers)
  await checkRefused(t, attacks, isExpected)
  // Fastify has no route for the other methods, for any path.
  const others = await Promise.all(
    ['/admin', '/admin/nope', '/nope'].map((url) => app.inject({ method: 'OPTIONS', url, headers: HTML })),
  )
  t.strictSame(
    others.map(({ statusCode }) => statusCode),
    [404, 404, 404],
  )
})

t.test('a folder in parentheses guards its own pages only', async (t) => {
  ran.guards = 0
  t.equal((await app.inject({ url: '/nope', headers: HTML })).statusCode, 404)
  t.equal((await app.inject({ url: '/sign-in', headers: HTML })).statusCode, 200)
  t.equal(ran.guards, 0)
})

t.test('the error of a hook is not shown inside a layout whose guard has not run', async (t) => {
  const passed: string[] = []
  for (const hook of ['onRequest', 'preParsing', 'preValidation', 'preHandler']) {
    for (const path of PAGES) {
      for (const [method, url, headers] of [
        ['GET', `${path}?${hook}`, HTML],
        ['GET', marked(`${path}?${hook}`), navigation()],
        ['POST', `${path}?${hook}`, { ...HTML, ...FORM }],
        ['POST', marked(`${path}?${hook}`), { ...navigation(), ...FORM }],
      ] as const) {
        ran.others.length = 0
        const { statusCode, body } = await app.inject({ method, url, headers })
        const isRefused = [403, 303].includes(statusCode) || body.includes('/sign-in')
        if (!isRefused || body.includes(SECRET) || ran.others.length > 0)
          passed.push(`${method} ${url}: ${statusCode} ${ran.others} ${body}`)
      }
    }
  }
  t.strictSame(passed, [])
})

/** Other spellings of a path below a guarded folder. They are refused, or lead nowhere. */
const SPELLINGS = [
  '/%61dmin',
  '/%61%64%6D%69%6e/static',
  '/admin/%73tatic',
  '/admin/%75sers/5',
  '/admin/users/%35',
  '/admin/users/5?x=/sign-in',
  '/admin?_hydrant',
  '/admin?',
  '/admin#sign-in',
  '/admin/',
  '/admin//',
  '//admin',
  '/admin//static',
  '/ADMIN',
  '/Admin/static',
  '/admin;x',
  '/admin/;/static',
  '/admin/.',
  '/./admin',
  '/admin/../admin',
  '/sign-in/../admin',
  '/sign-in/..%2fadmin',
  '/%2fadmin',
  '/admin%2fstatic',
  '/admin%00',
  '/%2561dmin',
  '/admin%20',
  '\\admin',
  'http://localhost/admin',
  'http://sign-in/admin/static',
  'HTTP://localhost/admin',
]

t.test('no spelling of a path leads past the guard', async (t) => {
  const { app: listening } = await serve(t, dir)
  const { send } = await listenRaw(t, listening)
  const passed: string[] = []
  for (const path of SPELLINGS) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      for (const accept of ['text/html', 'application/json']) {
        ran.others.length = 0
        const headers = ['Host: localhost', `Accept: ${accept}`, 'Content-Length: 0']
        const { status, body } = parseRaw(await send(rawRequest(`${method} ${path} HTTP/1.1`, headers)))
        const isRefused = [302, 303, 308, 400, 404, 405].includes(status) || body.startsWith('["load"]')
        if (!isRefused || body.includes(SECRET) || ran.others.length > 0)
          passed.push(`${method} ${path}: ${status} ${ran.others} ${body}`)
      }
    }
  }
  t.strictSame(passed, [])
})

t.test('a site in an app: with a prefix, a base, and without rewriteUrl', async (t) => {
  for (const options of [
    {},
    { rewriteUrl },
    { caseSensitive: false },
    { routerOptions: { caseSensitive: false } },
    { routerOptions: { ignoreTrailingSlash: true } },
  ]) {
    const outer: FastifyInstance = Fastify(options)
    t.teardown(() => outer.close())
    await outer.register((scope) => scope.register(hydrant, { dir, base: '/shop', ledger: false }), { prefix: '/in' })
    const isLoose = JSON.stringify(options).includes('caseSensitive')
    const spelled = ['/in/shop/%61dmin', '/in/%73hop/admin/nope', '/in/shop/adm%69n/nope']
    const urls = [...PAGES, ...UNKNOWN].map((path) => `/in/shop${path}`)
    const loose = isLoose ? ['/IN/shop/Admin', '/in/SHOP/ADMIN/nope'] : []
    const attacks = [...urls, ...spelled, ...loose].map((url) => ({ url, headers: HTML }))
    await checkRefused(t, attacks, leadsTo(302, '/in/shop/sign-in'), outer)
    ran.guards = 0
    t.equal((await outer.inject({ url: '/in/shop/nope', headers: HTML })).statusCode, 404)
    t.equal((await outer.inject({ url: '/in/shop/administrators', headers: HTML })).statusCode, 404)
    t.equal(ran.guards, 0, 'other paths are not guarded')
  }
})

t.test('an upload that is refused writes no file, and does not hold the connection', async (t) => {
  const temporary = mkdtempSync(join(tmpdir(), 'guarded-test-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = temporary
  t.teardown(() => {
    rmSync(temporary, { recursive: true, force: true })
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const { app: listening } = await serve(t, dir)
  await listening.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(listening.listeningOrigin).port)
  const file = `--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'a'.repeat(300_000)}\r\n--b--\r\n`
  const type = 'Content-Type: multipart/form-data; boundary=b'
  const head = (lines: string[]) =>
    ['POST /admin HTTP/1.1', 'Host: localhost', 'Accept: text/html', type, ...lines, '', ''].join('\r\n')
  for (const isExpected of [false, true]) {
    ran.others.length = 0
    const answers = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1')
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      const expect = isExpected ? ['Expect: 100-continue'] : []
      socket.write(head([...expect, `Content-Length: ${file.length}`]) + file)
      socket.write(head(['Connection: close', 'Transfer-Encoding: chunked']))
      socket.write('3\r\nabc\r\n0\r\n\r\n')
    })
    t.equal(answers.match(/HTTP\/1\.1 303/g)?.length, 2, 'the next request of the connection gets its response')
    t.strictSame(readdirSync(temporary), [])
    t.strictSame(ran.others, [])
  }
})

t.test('a client that sends only a part of its body gets the response', async (t) => {
  const { app: listening } = await serve(t, dir)
  await listening.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect(Number(new URL(listening.listeningOrigin).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const lines = ['POST /admin HTTP/1.1', 'Host: localhost', 'Accept: text/html', 'Content-Length: 1000000']
  socket.write(`${[...lines, 'Content-Type: multipart/form-data; boundary=b', '', ''].join('\r\n')}--b\r\n`)
  const [chunk] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])))
  t.match(String(chunk), 'HTTP/1.1 303')
})

t.test('a client that closes the connection gets the response to a large upload', async (t) => {
  const { app: listening } = await serve(t, dir)
  await listening.listen({ port: 0, host: '127.0.0.1' })
  const length = 20_000_000
  const multipart = 'multipart/form-data; boundary=b'
  const member = 'Authorization: Bearer let-me-in'
  for (const [status, path, type, ...more] of [
    [303, '/admin', multipart],
    [303, '/admin/nope', multipart],
    [405, '/sign-in', multipart],
    [403, '/admin', multipart, member, 'Sec-Fetch-Site: cross-site'],
    [413, '/admin', 'application/x-www-form-urlencoded', member],
  ] as const) {
    const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Accept: text/html', 'Connection: close', ...more]
    const socket = connect(Number(new URL(listening.listeningOrigin).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    let text = ''
    const ended = new Promise<string>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1')
      })
      socket.on('close', () => resolve(''))
      socket.on('error', (error) => resolve(error.message))
    })
    socket.write([...lines, `Content-Length: ${length}`, `Content-Type: ${type}`, '', ''].join('\r\n'))
    socket.end(Buffer.alloc(length, 'a'))
    t.equal(await ended, '', `${status} for ${path}: the connection is not reset`)
    t.match(text, `HTTP/1.1 ${status}`)
  }
})

t.test('a client whose upload takes longer than the response gets it', async (t) => {
  const { app: listening } = await serve(t, dir)
  await listening.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(listening.listeningOrigin).port)
  // Clients that upload go on after the server has ended its side.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  const ended = new Promise<Error | null>((resolve) => {
    socket.on('error', resolve)
    socket.on('close', () => resolve(null))
  })
  socket.resume()
  const [length, parts] = [100_000, 25]
  const lines = ['POST /admin HTTP/1.1', 'Host: localhost', 'Accept: text/html', 'Connection: close']
  const more = [`Content-Length: ${length * parts}`, 'Content-Type: multipart/form-data; boundary=b', '', '']
  socket.write([...lines, ...more].join('\r\n'))
  for (let part = 0; part < parts && !socket.destroyed; part++) {
    socket.write(Buffer.alloc(length, 'a'))
    await pause(100)
  }
  socket.end()
  t.equal(await ended, null, 'the connection is not reset')
})
