import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { type ActionContext, type LoadContext, redirect } from '../../../src/server/index.ts'
import { testSite } from '../../test-site.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const stackless = "const broken = Object.assign(new Error('broken'), { stack: 'Error: broken' })\n"
const empty = 'export default () => null\n'
const dir = await buildFiles(t.testdir({}), {
  'pages/index.server.ts':
    "export function load({ request }) {\n  throw new Error('no ' + request.query.what + ' here')\n}\n" +
    "export function action({ form }) {\n  throw new Error('no ' + form.get('what') + ' here')\n}\n",
  'pages/a.server.ts': `${stackless}export const load = () => Promise.reject(broken)\n`,
  'pages/b.server.ts': `${stackless}export const load = () => Promise.reject(broken)\n`,
  'pages/a.tsx': empty,
  'pages/b.tsx': empty,
  'node_modules/visitor/package.json': '{"name":"visitor","version":"1.0.0","type":"module","exports":"./index.js"}',
  'node_modules/visitor/index.js': 'export function visit(use) {\n  return use()\n}\n',
  'pages/load.server.ts': "export function load() {\n  throw new Error('load')\n}\n",
  'pages/load.tsx': empty,
  'pages/render.tsx':
    "import { visit } from 'visitor'\n" +
    "function fail() {\n  throw new Error('render')\n}\n" +
    'export default function Page() {\n  return visit(fail)\n}\n',
  'pages/here.server.ts': "export const load = () => ({ stack: new Error('here').stack })\n",
  'pages/here.tsx': empty,
  'server.ts':
    "export default async (app) => {\n  app.get('/route', function route() {\n    throw new Error('route')\n  })\n}\n",
})

t.test('a secret is hidden in a failure that another request logged without redaction', async (t) => {
  const { app, get, failuresOf } = await serve(t, dir)
  const ask = (headers: Record<string, string>) => get('/?what=applepie', { ...HTML, ...headers })
  const openly = await ask({})
  const hidden = await ask({ cookie: 'a=applepie' })
  const again = await ask({})
  t.match(failuresOf(openly), [{ err: { message: 'no applepie here' } }])
  t.match(failuresOf(hidden), [{ err: { message: 'no [hidden] here' } }])
  t.notMatch(JSON.stringify(failuresOf(hidden)), /no applepie/)
  t.match(failuresOf(again), [{ err: { message: 'no applepie here' } }])
  const fingerprints = [openly, hidden, again].map((response) => String(response.headers['x-error-digest']).slice(0, 8))
  t.equal(new Set(fingerprints).size, 1, 'the same failure')
  const occurrences = [openly, hidden, again].map((response) => String(response.headers['x-error-digest']).slice(9))
  t.equal(new Set(occurrences).size, 3)
  const sent = await app.inject({
    method: 'POST',
    url: '/',
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'what=applepie',
  })
  t.match(failuresOf(sent), [{ err: { message: 'no [hidden] here' } }])
})

t.test('the line of a failure has the codes of its error and of the errors that caused it', async (t) => {
  function fail(code: unknown, cause?: Error) {
    throw Object.assign(new Error('broken', { cause }), { code })
  }
  const site = {
    '/': {
      load: ({ url }: LoadContext) => fail(url.searchParams.get('kind')),
      action: ({ form }: ActionContext) =>
        fail('ERR_OUTER', Object.assign(new Error('inner'), { code: form.get('code') })),
    },
    '/outside': { load: () => redirect('//other.example') },
  }
  const server = async (app: FastifyInstance) =>
    void app.get('/connect', async () => void (await once(connect(1, '127.0.0.1'), 'connect')))
  const { app, get, failuresOf } = await testSite(t, site, { server })
  const codeOf = async (url: string) => failuresOf(await get(url))[0]?.err?.code
  // These errors differ in nothing else.
  t.equal(await codeOf('/?kind=ERR_ONE'), 'ERR_ONE')
  t.equal(await codeOf('/?kind=ERR_TWO'), 'ERR_TWO')
  t.equal(await codeOf('/?kind=jane@example.org'), undefined)
  t.equal(await codeOf('/outside'), 'HYD_REDIRECT_OUTSIDE')
  t.match(failuresOf(await get('/connect'))[0], { err: { type: 'Error', code: 'ECONNREFUSED' } })
  const headers = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
  const send = (code: string) => app.inject({ method: 'POST', url: '/', headers, payload: `code=${code}` })
  t.match(failuresOf(await send('SAVE_20'))[0], { err: { code: 'ERR_OUTER', cause: { code: '[hidden]' } } })
  const own = 'HYD_LOAD_TIMEOUT'
  t.match(failuresOf(await send(own))[0], { err: { cause: { code: own } } }, 'a visitor cannot hide a code of Hydrant')
})

t.test('a failure without a frame in the site has the place where it was caught', async (t) => {
  const { get, failuresOf } = await serve(t, dir)
  const stacks: (string | undefined)[] = []
  for (const url of ['/a', '/b', '/a']) stacks.push(failuresOf(await get(url))[0]?.err?.stack.split('\n')[1])
  t.strictSame(stacks, [
    '    at load (pages/a.server.ts:2:21)',
    '    at load (pages/b.server.ts:2:21)',
    '    at load (pages/a.server.ts:2:21)',
  ])
})

t.test('stacks leave out the callers React, Hydrant and Fastify, and no other', async (t) => {
  const { get, failuresOf } = await serve(t, dir)
  const stacks: string[] = []
  for (const url of ['/load', '/render', '/route']) stacks.push(failuresOf(await get(url))[0]?.err?.stack ?? '')
  const [ofLoad, ofRender, ofRoute] = stacks.map((stack) => stack.replaceAll(dir, '').replace(/:\d+:\d+/g, ''))
  t.equal(ofLoad, 'Error: load\n    at load (pages/load.server.ts)')
  t.equal(
    ofRender,
    'Error: render\n    at fail (pages/render.tsx)\n    at visit (file:///node_modules/visitor/index.js)\n    at Page (pages/render.tsx)',
  )
  t.equal(ofRoute, 'Error: route\n    at route (server.ts)')
  t.notMatch(ofRoute, /fastify/)
})

t.test('the stack of a load begins with the load and has no frame of its callers', async (t) => {
  const { get } = await serve(t, dir)
  const { stack } = JSON.parse((await get('/here', JSON_ONLY)).body) as { stack: string }
  // esbuild numbers the loads of a site.
  t.match(stack, /^Error: here\n {4}at (?:Object\.)?load\d* /)
  t.notMatch(stack, /serve-page|site-routes|fastify|react-dom/)
})
