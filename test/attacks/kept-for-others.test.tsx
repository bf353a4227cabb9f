// What caches may store, as a class: each kind of response, with a cookie or a permissive caching header from each
// place that can set one. CVE-2025-49826 of Next.js: a cache stored a response that must not be stored. CDNs that
// sent one visitor's cookies to others had the same reason.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type InjectOptions } from 'fastify'
import { Suspense, use } from 'react'
import t from 'tap'
import { allowsSomeCache } from '../../src/server/http/caching.ts'
import { type ActionContext, HttpError, type LoadContext, redirect } from '../../src/server/index.ts'
import { hydrant } from '../../src/server/plugin.ts'
import { findFailing } from '../find-failing.ts'
import { marked } from '../server/lines.ts'
import { HTML, JSON_ONLY, serve } from '../server/served.ts'
import { navigationHeaders, writeTestSite } from '../test-site.ts'

interface Said {
  header(name: string, value: string): unknown
}
/** Sets the headers that the request asks for, as a load might. */
function say(request: FastifyRequest, reply: Said, place: string) {
  if (request.headers['x-place'] !== place) return
  for (const [name, value] of JSON.parse(String(request.headers['x-say']))) reply.header(name, value)
}

const Late = ({ of }: { of: Promise<string> }) => <p>{use(of)}</p>
const Page = ({ data }: { data?: { late?: Promise<string> } }) => (
  <main>
    {data?.late ? (
      <Suspense fallback="…">
        <Late of={data.late} />
      </Suspense>
    ) : (
      'page'
    )}
  </main>
)
const page = (load: () => unknown) => ({
  Component: Page,
  load({ request, reply }: LoadContext) {
    say(request, reply, 'load')
    return load()
  },
  action({ request, reply }: ActionContext) {
    say(request, reply, 'action')
    return { done: true }
  },
})
const site = {
  '/whole': page(() => ({ a: 1 })),
  '/stream': page(() => ({ late: new Promise((resolve) => setTimeout(resolve, 5, 'late')) })),
  '/moved': page(() => redirect('/whole')),
  '/fails': page(() => {
    throw new Error('broken')
  }),
  '/refuses': page(() => {
    throw new HttpError(403, 'members only')
  }),
}
async function server(app: FastifyInstance) {
  // Adds a hook to each route, as @fastify/compress does.
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? []].flat().concat(async (request, reply) => say(request, reply, 'route'))
  })
  app.addHook('onRequest', async (request, reply) => say(request, reply, 'onRequest'))
  app.addHook('onRequest', async (request, reply) =>
    say(request, { header: (name, value) => reply.raw.setHeader(name, value) }, 'raw'),
  )
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-place'] !== 'middleware') return
    const { writeHead } = reply.raw
    function write(this: typeof reply.raw, status: number, given?: Record<string, string>) {
      for (const [name, value] of Object.entries(given ?? {})) this.setHeader(name, value)
      say(request, { header: (name, value) => this.setHeader(name, value) }, 'middleware')
      return writeHead.call(this, status)
    }
    Object.assign(reply.raw, { writeHead: write })
  })
  app.addHook('preHandler', async (request, reply) => say(request, reply, 'preHandler'))
  // @fastify/session and @fastify/secure-session set their cookies in such a hook.
  app.addHook('onSend', async (request, reply) => say(request, reply, 'onSend'))
  app.get('/own', async () => 'own')
  app.get('/own-moved', async (_request, reply) => reply.redirect('/own'))
  app.get('/own-fails', async () => {
    throw new Error('broken')
  })
}
const dir = writeTestSite(t.testdir({}), site, { server, publicFiles: { 'file.txt': 'file' } })

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
/** Only the visitor may store these responses, whatever the headers say. */
const NEVER: Record<string, InjectOptions> = {
  'a stream': { url: '/stream', headers: HTML },
  'data as JSON': { url: '/whole', headers: JSON_ONLY },
  'awaited data as JSON': { url: '/stream', headers: JSON_ONLY },
  'the head of data': { method: 'HEAD', url: '/whole', headers: JSON_ONLY },
  'a failure': { url: '/fails', headers: HTML },
  'a failure as JSON': { url: '/fails', headers: JSON_ONLY },
  'the head of a failure': { method: 'HEAD', url: '/fails', headers: HTML },
  'a refusal': { url: '/refuses', headers: HTML },
  'an unknown path': { url: '/nowhere', headers: HTML },
  'a failing route': { url: '/own-fails', headers: JSON_ONLY },
  'a missing asset': { url: '/_hydrant/assets/none.js' },
  'an answer to a form': { method: 'POST', url: '/whole', headers: { ...HTML, ...FORM }, payload: 'a=b' },
  'an answer to a form as JSON': { method: 'POST', url: '/whole', headers: { ...JSON_ONLY, ...FORM }, payload: 'a=b' },
  'a form of another site': { method: 'POST', url: '/whole', headers: { ...HTML, 'sec-fetch-site': 'cross-site' } },
  'a report': { method: 'POST', url: '/_hydrant/report', headers: { 'sec-fetch-site': 'same-origin' }, payload: 'x' },
  health: { url: '/_hydrant/live' },
  'a navigation': { url: marked('/whole'), headers: { ...HTML, ...navigationHeaders() } },
  'a navigation in parts': { url: marked('/stream'), headers: { ...HTML, ...navigationHeaders() } },
  'a navigation to no page': { url: marked('/file.txt'), headers: { ...HTML, ...navigationHeaders() } },
  'the mark without a navigation': { url: marked('/whole'), headers: HTML },
}
/** The site decides about these responses, unless they set a cookie. */
const OTHERS: Record<string, InjectOptions> = {
  'a document': { url: '/whole', headers: HTML },
  'the head of a document': { method: 'HEAD', url: '/whole', headers: HTML },
  'an unchanged document': { url: '/whole', headers: { ...HTML, 'if-none-match': '*' } },
  'a redirect': { url: '/moved', headers: HTML },
  'a route': { url: '/own' },
  'a redirect of a route': { url: '/own-moved' },
  'an asset': { url: '/_hydrant/assets/entry.js' },
  'a file': { url: '/file.txt' },
}

const COOKIE = ['set-cookie', 'session=of-alice; HttpOnly']
const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
const FOR_SOME_CACHES = [
  ['cdn-cache-control', 'public, max-age=3600'],
  ['cloudflare-cdn-cache-control', 'max-age=3600'],
  ['vercel-cdn-cache-control', 'max-age=3600'],
  ['netlify-cdn-cache-control', 'public, max-age=3600, durable'],
  ['surrogate-control', 'max-age=3600'],
  ['edge-control', 'cache-maxage=1h'],
  ['x-accel-expires', '3600'],
  ['expires', inAnHour],
  ['pragma', 'public'],
]
/** The headers that are set on each response. */
const WIDE = [
  [['cache-control', 'public, max-age=60, s-maxage=600'], ...FOR_SOME_CACHES],
  FOR_SOME_CACHES,
  [['cache-control', 'private="set-cookie", max-age=60'], ...FOR_SOME_CACHES],
]
const PLACES = ['load', 'action', 'onRequest', 'preHandler', 'onSend', 'route', 'raw', 'middleware'] as const

async function ask(app: FastifyInstance, request: InjectOptions, place: string, say: unknown) {
  const headers = { ...request.headers, 'x-place': place, 'x-say': JSON.stringify(say) }
  const { headers: answered, statusCode } = await app.inject({ ...request, headers })
  return { answered, statusCode }
}

/** Whether only the visitor may store a response. */
function isOwn(headers: Record<string, unknown>): boolean {
  const control = String(headers['cache-control'])
  const isPrivate = /(?:^|, )(?:no-store|private)(?:$|,)/.test(control)
  const isWider = Object.entries(headers).some(([name, value]) => allowsSomeCache(name, value))
  return isPrivate && !isWider && !/public|s-maxage|max-age=[1-9]/.test(control)
}

t.test('a private response is stored for no other visitor, wherever permissive headers are set', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const kept: unknown[] = []
  for (const [kind, request] of Object.entries(NEVER)) {
    for (const place of PLACES) {
      for (const say of WIDE) {
        const { answered, statusCode } = await ask(app, request, place, say)
        // If set in time, these headers make the document be sent whole.
        if (kind === 'a stream' && answered.etag !== undefined) continue
        if (!isOwn(answered)) kept.push([kind, place, statusCode, answered])
      }
    }
  }
  t.strictSame(kept, [])
})

t.test('a response that sets a cookie is stored for no other visitor, wherever the cookie is set', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const seen = new Set<string>()
  const kept: unknown[] = []
  for (const [kind, request] of Object.entries({ ...NEVER, ...OTHERS })) {
    for (const place of PLACES) {
      for (const say of WIDE) {
        const { answered, statusCode } = await ask(app, request, place, [COOKIE, ...say])
        if (answered['set-cookie'] === undefined) continue
        seen.add(`${kind} ${place}`)
        if (!isOwn(answered)) kept.push([kind, place, statusCode, answered])
      }
    }
  }
  t.strictSame(kept, [])
  const withCookies = ['onRequest', 'preHandler', 'onSend', 'route', 'raw', 'middleware']
    .flatMap((place) => Object.keys(OTHERS).map((kind) => `${kind} ${place}`))
    .concat(['a document', 'a redirect', 'a failure', 'a refusal', 'data as JSON'].map((kind) => `${kind} load`))
  t.strictSame(
    withCookies.filter((kind) => !seen.has(kind)),
    [],
  )
})

t.test('a public response may be stored by any cache', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const say = WIDE[0] ?? []
  for (const kind of ['a document', 'an unchanged document', 'a route', 'an asset', 'a file'] as const) {
    const { answered } = await ask(app, OTHERS[kind] ?? {}, 'onSend', say)
    t.match(answered, Object.fromEntries(say), kind)
  }
  const { answered } = await ask(app, { url: '/stream', headers: HTML }, 'load', [['cdn-cache-control', 'max-age=60']])
  t.match(answered, { 'cdn-cache-control': 'max-age=60', etag: /./ }, 'what a cache may keep is sent whole')
})

t.test('a redirect does not keep the headers for specific caches that were set for the page', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const { answered } = await ask(app, { url: '/moved', headers: HTML }, 'load', WIDE[0])
  t.equal(answered['cache-control'], 'public, max-age=60, s-maxage=600')
  t.strictSame(
    Object.entries(answered).filter(([name, value]) => allowsSomeCache(name, value)),
    [],
  )
})

t.test('in an existing app the site sees the headers of the app, and does not change the app’s routes', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const addCookie = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers['x-place'] === 'app') reply.headers(Object.fromEntries([COOKIE, ...(WIDE[0] ?? [])]))
  }
  // Some are registered before the plugin and some after it, as plugins are.
  app.addHook('onSend', addCookie)
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? []].flat().concat(addCookie)
  })
  await app.register(hydrant, { dir, ledger: false })
  app.addHook('onSend', addCookie)
  app.get('/of-the-app', async () => 'own')
  const failing = await findFailing(Object.entries({ ...NEVER, ...OTHERS }), async ([, request]) => {
    const { answered } = await ask(app, request, 'app', [])
    return String(answered['set-cookie']).includes('session') && isOwn(answered) ? undefined : answered
  })
  t.strictSame(failing, [])
  const { answered } = await ask(app, { url: '/of-the-app' }, 'app', [])
  t.equal(answered['cache-control'], 'public, max-age=60, s-maxage=600')
})
