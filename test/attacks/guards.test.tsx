// Attacks that bypass a guard. CVE-2025-29927: a header of the framework's own, sent by a client, skipped the
// middleware that checks the login. Other attacks spell a path so that a guard reads it differently than the router.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ReactNode } from 'react'
import t from 'tap'
import { marked } from '../server/lines.ts'
import { HTML, JSON_ONLY, type Served, serve } from '../server/served.ts'
import { navigationHeaders, writeTestSite } from '../test-site.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'

const SECRET = 'the books of the house'
interface Props {
  data?: { secret: string }
  children?: ReactNode
}
const Component = ({ data }: Props) => <p>{data?.secret ?? 'open'}</p>
const load = () => ({ secret: SECRET })
const site = {
  '/': { Component },
  '/admin/layout': {
    load,
    Component: ({ data, children }: Props) => (
      <div>
        {data?.secret}
        {children}
      </div>
    ),
  },
  '/admin/index': { Component, load, action: load },
  '/admin/users/[id]': { Component, load },
  '/[name]': { Component },
}

type Hook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler'
interface Guard {
  /** A test chooses whether the hook checks the URL or the route. Each must be sufficient alone. */
  reads: 'route' | 'url'
  hook: Hook
  isThrown: boolean
}
const GUARD: Readonly<Guard> = { reads: 'url', hook: 'onRequest', isThrown: false }
let guard = GUARD
let runs = 0

async function server(app: FastifyInstance) {
  async function check(request: FastifyRequest, reply: FastifyReply) {
    runs++
    const { url = '' } = guard.reads === 'route' ? request.routeOptions : request
    if (url.startsWith('/admin') && request.headers.authorization !== 'Bearer let-me-in') {
      if (guard.isThrown) throw Object.assign(new Error('who are you?'), { statusCode: 401 })
      return reply.code(401).send('who are you?')
    }
  }
  // The hooks have different types.
  app.addHook(guard.hook as 'onRequest', check)
  app.get('/admin/export', async () => SECRET)
}
const dir = writeTestSite(t.testdir({}), site, { server, publicFiles: { 'admin/report.txt': SECRET } })

const NAVIGATION = navigationHeaders()

const INTERNAL: Record<string, string>[] = [
  { 'hydrant-build': 'x' },
  { ...NAVIGATION },
  { ...NAVIGATION, 'hydrant-layouts': 'none none none' },
  { 'hydrant-acted': '1' },
  { 'hydrant-data': '1', 'hydrant-forwarded': '1', 'hydrant-internal': '1' },
  { 'x-request-id': 'mine' },
  { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware' },
  { 'x-middleware-next': '1', 'x-middleware-rewrite': '/', 'x-middleware-override-headers': 'authorization' },
  { 'next-action': 'x', rsc: '1', 'next-router-state-tree': '[]', 'next-url': '/', 'x-nextjs-data': '1' },
  { 'x-invoke-path': '/', 'x-invoke-status': '200', 'x-matched-path': '/', 'x-now-route-matches': '1=/' },
  { 'x-sveltekit-invalidated': '1', 'x-remix-transition': '1', 'x-astro-path': '/', 'x-nuxt-no-ssr': '1' },
  { 'x-original-url': '/', 'x-rewrite-url': '/', 'x-forwarded-uri': '/', 'x-forwarded-prefix': '/' },
  { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', 'x-http-method-override': 'OPTIONS' },
  { traceparent: '00-zz', tracestate: 'a=b' },
  { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` },
  { purpose: 'prefetch', 'sec-purpose': 'prefetch', 'x-moz': 'prefetch' },
  { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings', 'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA' },
  { connection: 'close, authorization, hydrant-build' },
]

const READS = ['route', 'url'] as const

t.test('no header of a client bypasses a hook', async (t) => {
  const { app } = await serve(t, dir)
  const passed: string[] = []
  for (const headers of INTERNAL) {
    const title = JSON.stringify(headers).slice(0, 100)
    for (const accept of [HTML, JSON_ONLY]) {
      for (const [method, url] of [
        ['GET', '/admin'],
        ['HEAD', '/admin'],
        ['POST', '/admin'],
        ['GET', '/admin/users/5'],
        ['GET', '/admin/export'],
        ['GET', '/admin/report.txt'],
        ['GET', '/admin?_hydrant'],
        ['POST', '/admin?_hydrant'],
        ['GET', '/admin/users/5?_hydrant'],
      ] as const) {
        runs = 0
        const asking = url.endsWith('_hydrant') ? NAVIGATION : {}
        const response = await app.inject({ method, url, headers: { ...accept, ...asking, ...headers } })
        const isRefused = response.statusCode === 401 && runs === 1 && !response.body.includes(SECRET)
        if (!isRefused || response.headers['x-request-id'] === 'mine' || 'hydrant-acted' in response.headers)
          passed.push(`${method} ${url} ${title}: ${response.statusCode}, ${runs} runs, ${response.body.slice(0, 300)}`)
      }
    }
  }
  t.strictSame(passed, [])
})

t.test('clients with access get the page, so the guard refuses the others', async (t) => {
  const { get } = await serve(t, dir)
  const authorization = 'Bearer let-me-in'
  for (const url of ['/admin', '/admin/users/5', '/admin/export', '/admin/report.txt']) {
    t.match((await get(url, { ...HTML, authorization })).body, SECRET, url)
  }
  const headers = { ...HTML, ...NAVIGATION, authorization }
  for (const url of ['/admin', '/admin/users/5'].map(marked)) {
    t.match((await get(url, headers)).body, SECRET, url)
  }
})

const json = { 'content-type': 'application/json' }
/** Requests that are refused before all hooks have run, or by the hooks. */
const REFUSED: { title: string; method: 'GET' | 'POST' | 'PUT'; headers: Record<string, string>; payload?: string }[] =
  [
    { title: 'from another site', method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } },
    { title: 'upgrade', method: 'GET', headers: { 'sec-fetch-site': 'cross-site', upgrade: 'websocket' } },
    { title: 'other method', method: 'PUT', headers: {} },
    { title: 'no JSON', method: 'POST', headers: json, payload: '{' },
    { title: 'other type', method: 'POST', headers: { 'content-type': 'a/b' }, payload: 'a' },
    { title: 'compressed', method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, payload: '{}' },
    { title: 'well formed', method: 'POST', headers: json, payload: '{}' },
    { title: 'read', method: 'GET', headers: {} },
  ]

t.test('no client that the hooks refuse gets the data of a layout, whatever refuses it first', async (t) => {
  t.teardown(() => {
    guard = GUARD
  })
  const passed: string[] = []
  for (const hook of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
    for (const isThrown of [false, true]) {
      guard = { ...GUARD, hook, isThrown }
      const { app, get } = await serve(t, dir)
      for (const { title, method, headers, payload = '' } of REFUSED) {
        for (const url of ['/admin', '/admin/users/5', '/admin?_hydrant', '/admin/users/5?_hydrant']) {
          const all = { ...HTML, ...(url.endsWith('_hydrant') ? NAVIGATION : {}), ...headers }
          const { body, statusCode } = await app.inject({ method, url, headers: all, payload })
          if (statusCode < 400 || statusCode >= 500 || body.includes(SECRET))
            passed.push(`${hook} ${isThrown}: ${title} ${method} ${url}: ${statusCode} ${body.slice(0, 300)}`)
        }
      }
      t.equal((await get('/admin/there/is/nothing')).statusCode, 401, 'unknown paths are guarded as well')
    }
  }
  t.strictSame(passed, [])
})

const ADMINS = [
  'admin',
  'admin/',
  'admin//',
  'Admin',
  'ADMIN',
  '%61dmin',
  '%61%64%6d%69%6e',
  '%2561dmin',
  'admin%2f',
  'admin%252f',
  'admin%00',
  'admin%20',
  'admin%09',
  'admin%0a',
  'admin.',
  'admin/.',
  'admin/..',
  'admin/./',
  './admin',
  '../admin',
  'x/../admin',
  '%2e/admin',
  'x/%2e%2e/admin',
  'x%2f..%2fadmin',
  'admin;a=1',
  'admin;/',
  ';/admin',
  'admin?',
  'admin?x=/open',
  'admin#',
  'admin%23',
  'admin%3f',
  'admin%3f_hydrant',
  '/admin',
  '//admin',
  '\\admin',
  '%5cadmin',
  '%2fadmin',
  'admin\\',
  'admin%5c',
  'admin/users%2f5',
  'admin%2fusers%2f5',
  'admin/users/5',
  '%61dmin/users/5',
  'admin//users/5',
  '/admin/users/5',
  'admin/./users/5',
  'admin\\users\\5',
  'admin/users/%2e%2e',
  '%61dmin/export',
  '%61dmin/report.txt',
  'admin%2freport.txt',
  'admin/%72eport.txt',
  'admin/x/../report.txt',
  'admin\\report.txt',
  'admin/users/a%80',
  'a\u0131dmin',
  '_hydrant/admin',
  '_hydrant/data/admin',
  '_hydrant/assets/../../admin',
  '%61%64m%69n/export',
  'adm%49n',
  'admi%6E/users/5',
  'admi%6e/report.txt',
  'admin/users/5#/open',
  '%2561dmin/export',
  '%6%31dmin',
  '%6%31dmin/export',
]

const ROOTS = ['/', '/_hydrant/', '/_hydrant/data/', '//', '/%5fhydrant/', '/?_hydrant/']
const MARKS = ['', '?_hydrant', '&_hydrant', '?_hydrant=', '?a&_hydrant&b', '#?_hydrant', '?_hydrant#']

async function open(served: Served, method: 'GET' | 'POST', url: string): Promise<string[]> {
  const opened: string[] = []
  for (const headers of [HTML, JSON_ONLY, { ...HTML, ...NAVIGATION }]) {
    const { body } = await served.app.inject({ method, url, headers })
    if (body.includes(SECRET)) opened.push(`${method} ${url}`)
  }
  return opened
}

t.test('no spelling of a path bypasses a guard', async (t) => {
  const served = await serve(t, dir)
  const opened: string[] = []
  for (const reads of READS) {
    guard = { ...GUARD, reads }
    for (const name of ADMINS) {
      for (const root of ROOTS) {
        const methods = root === '/' ? (['GET', 'POST'] as const) : (['GET'] as const)
        const marks = root === '/' ? MARKS : MARKS.slice(0, 2)
        for (const method of methods)
          for (const mark of marks) opened.push(...(await open(served, method, root + name + mark)))
      }
    }
  }
  t.strictSame(opened, [])
  t.equal((await served.get('/')).statusCode, 200, 'the server lives')
})

t.test('a whole URL leads to the path in it, as a proxy reads it', async (t) => {
  const { send } = await listenRaw(t, (await serve(t, dir)).app)
  for (const path of ['/open/../admin', '/open/%2e%2e/admin', '/./admin', '//admin', '\\admin', '/open\\..\\admin']) {
    const headers = ['Host: a', 'Authorization: Bearer let-me-in']
    const answer = await send(rawRequest(`GET http://a${path} HTTP/1.1`, headers))
    t.notMatch(answer, SECRET, path)
    t.notMatch(answer, 'location: /admin', path)
  }
})

t.test('nor do bytes that no client would send', async (t) => {
  const { send } = await listenRaw(t, (await serve(t, dir)).app)
  const passed: string[] = []
  const targets = [
    ...ADMINS.map((name) => `/${name}`),
    ...ADMINS.map((name) => marked(`/${name}`)),
    'http://other.example/admin',
    'http://other.example/admin?_hydrant',
    '/http://other.example/admin?_hydrant',
    '/?_hydrant/http://other.example/admin',
    'HTTP://other.example/%61dmin',
    'https://user:pass@other.example:6666/open/../admin',
    'http://other.example\\admin',
    'http:admin',
    'ws://other.example/admin',
    '*',
    'admin',
  ]
  for (const reads of READS) {
    guard = { ...GUARD, reads }
    for (const target of targets) {
      const answer = await send(
        rawRequest(`GET ${target} HTTP/1.1`, ['Host: a', `hydrant-build: ${NAVIGATION['hydrant-build']}`]),
      )
      if (answer.includes(SECRET) || !(parseRaw(answer).status < 500)) passed.push(`${encodeURI(target)}: ${answer}`)
    }
  }
  t.strictSame(passed, [])
})
