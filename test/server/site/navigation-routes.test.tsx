// Which route responds to a navigation, and which hooks run.

import Fastify, { type FastifyInstance } from 'fastify'
import type { ReactNode } from 'react'
import t from 'tap'
import { HttpError, hydrant, type LoadContext } from '../../../src/server/index.ts'
import { navigationHeaders, writeTestSite } from '../../test-site.ts'
import { linesOfResponse, marked, pick } from '../lines.ts'
import { HTML, serve } from '../served.ts'

const seen: string[] = []
const note = (name: string) => void seen.push(name)

const site = {
  '/layout': ({ children }: { children: ReactNode }) => (
    <html lang="en">
      <head />
      <body>{children}</body>
    </html>
  ),
  '/': {},
  '/admin/users': {
    async load() {
      note('load of users')
      return 'secret data'
    },
  },
  '/hooked': {},
  '/form': {},
  '/docs/[...path]': { load: async ({ params, url }: LoadContext<'/docs/[...path]'>) => params.path + url.search },
}
async function server(app: FastifyInstance) {
  app.addHook<{ Querystring: { to?: string; broken?: string } }>('onRequest', async (request, reply) => {
    note(`onRequest ${request.url}`)
    reply.header('x-hook', 'ran').header('x-original', request.originalUrl)
    if (request.url.startsWith('/admin') && request.headers.authorization !== 'yes')
      throw new HttpError(401, 'Members only')
    if (request.url.startsWith('/hooked')) {
      if (request.query.to) return reply.redirect('/login')
      if (request.query.broken) throw new Error('the hook is broken')
    }
  })
  app.addHook('preHandler', async () => note('preHandler'))
  app.addHook('onSend', async () => note('onSend'))
  app.addHook('onResponse', async () => note('onResponse'))
  const run = (name: string) => async () => {
    note(name)
    return { ran: true }
  }
  app.get('/api', run('api'))
  app.get('/docs/api', run('api'))
  app.post('/form', run('post'))
  app.register(async (scope) => void scope.get('/nested', run('nested')))
}

const publicFiles = { 'robots.txt': 'User-agent: *\n', 'docs/file.txt': 'a file\n' }
const dir = writeTestSite(t.testdir({}), site, { server, publicFiles })
const headers = navigationHeaders()
const served = await serve(t, dir)

async function ask(url: string, more: Record<string, string> = {}) {
  seen.length = 0
  const response = await served.get(url, { ...headers, ...more })
  return { response, lines: linesOfResponse(response), seen: [...seen] }
}

t.test('a URL that is not a page is left to the browser, and its route does not run', async (t) => {
  for (const path of [
    '/nowhere',
    '/api',
    '/nested',
    '/robots.txt',
    '/docs/file.txt',
    '/docs/api',
    '/_hydrant/live',
    '/admin/',
  ]) {
    const { response, lines, seen } = await ask(marked(path))
    t.strictSame(lines, [['load']], path)
    t.equal(response.headers['cache-control'], 'private, no-store')
    t.notOk(
      seen.some((name) => name === 'api' || name === 'nested'),
      `${path} has not run`,
    )
  }
  seen.length = 0
  const posted = await served.app.inject({ method: 'POST', url: '/form?_hydrant', headers })
  t.strictSame(linesOfResponse(posted), [['load']])
  t.notOk(seen.includes('post'))
})

t.test('a hook that protects a URL protects its data', async (t) => {
  for (const url of ['/admin/users?_hydrant', '/%61dmin/users?_hydrant', '/admin/users?_hydrant=&_hydrant']) {
    const { response, lines, seen } = await ask(url)
    const isGuarded = !seen.includes('load of users')
    const document = url.includes('%61') ? await served.get('/%61dmin/users') : null
    t.equal(isGuarded, document ? document.statusCode === 401 : true, `${url}: as its document`)
    if (!document && lines[0]?.[0] === 'start') {
      t.equal(response.statusCode, 401)
      t.match(lines, [
        ['start'],
        ['data', 0],
        ['shown', 1, { kind: 'shown' }, { kind: 'refusal', status: 401, message: 'Members only' }],
      ])
    }
    t.notMatch(isGuarded ? response.body : '', 'secret data')
  }
  const { lines } = await ask('/admin/users?_hydrant', { authorization: 'yes' })
  t.match(lines.at(-1), ['data', 1, { plain: 'secret data' }])
})

t.test('if a hook responds itself, the browser requests the document', async (t) => {
  const { response, lines } = await ask('/hooked?to=login&_hydrant')
  t.strictSame(lines, [['load']])
  t.equal(response.statusCode, 200)
  t.notOk('location' in response.headers)
})

t.test('if a hook fails, its digest replaces the page', async (t) => {
  const { response, lines } = await ask('/hooked?broken=1&_hydrant')
  const [failure, ...others] = served.failuresOf(response)
  t.strictSame(others, [])
  t.match(lines.at(-1), ['shown', 1, { kind: 'shown' }, { digest: failure?.digest }])
})

t.test('the hooks of server.ts run once, for the page’s own URL', async (t) => {
  const { response, seen } = await ask('/docs/a?b=c&_hydrant')
  t.strictSame(seen, ['onRequest /docs/a?b=c', 'preHandler', 'onSend', 'onResponse'])
  t.equal(response.headers['x-hook'], 'ran')
})

t.test('serves pages below a folder with a catch-all', async (t) => {
  const { lines } = await ask('/docs/a/b%20c?d=e&_hydrant')
  t.match(lines, [['start', { params: { path: 'a/b c' } }], ['data'], ['data', 1, { plain: 'a/b c?d=e' }]])
})

t.test('the request target may be a whole URL', async (t) => {
  const { lines, seen } = await ask('http://other.example/docs/a?_hydrant')
  t.match(seen[0], 'onRequest /docs/a')
  t.match(pick(lines, 'start'), [['start', { params: { path: 'a' } }]])
})

t.test('the marker works at any position of the query, and only the marker is removed', async (t) => {
  for (const [query, own] of [
    ['?_hydrant', ''],
    ['?_hydrant=', ''],
    ['?_hydrant=1', ''],
    ['?_hydrant&b=c', '?b=c'],
    ['?a&_hydrant&b=%20', '?a&b=%20'],
    ['?a=1&_hydrant', '?a=1'],
    [`?a&${'_hydrant&'.repeat(500)}b`, '?a&b'],
    ['?_hydrants=1&x_hydrant&_hydrant', '?_hydrants=1&x_hydrant'],
  ]) {
    const { response, lines, seen } = await ask(`/docs/a${query}`)
    t.equal(seen[0], `onRequest /docs/a${own}`)
    t.equal(response.headers['x-original'], `/docs/a${own}`, 'also in the log')
    t.match(lines.at(-1), ['data', 1, { plain: `a${own}` }])
  }
  const other = await served.get('/docs/a?_hydrants=1&x_hydrant', { ...HTML, ...headers })
  t.equal(seen.at(-4), 'onRequest /docs/a?_hydrants=1&x_hydrant')
  t.match(other.headers['content-type'], 'text/html')
})

t.test('the log reports a script of another build', async (t) => {
  const response = await served.get('/_hydrant/assets/about-OLDBUILD.js?token=secret')
  t.equal(response.statusCode, 404)
  const lines = served.log.lines.filter(({ reqId }) => reqId === response.headers['x-request-id'])
  t.match(lines, [{ level: 30, url: '/_hydrant/assets/about-OLDBUILD.js', msg: /^refused with 404/ }])
  t.equal(lines.length, 1)
})

t.test('HEAD loads nothing', async (t) => {
  seen.length = 0
  const response = await served.app.inject({
    method: 'HEAD',
    url: '/admin/users?_hydrant',
    headers: { ...headers, authorization: 'yes' },
  })
  t.equal(response.body, '')
  t.notOk(seen.includes('load of users'))
})

t.test('works the same wherever the site is mounted', async (t) => {
  for (const { prefix, base, root } of [
    { prefix: undefined, base: '/shop', root: '/shop' },
    { prefix: '/mount', base: undefined, root: '/mount' },
    { prefix: '/mount/', base: '/shop', root: '/mount/shop' },
  ]) {
    const app = Fastify()
    await app.register(hydrant, { dir, ...(base ? { base } : {}), ...(prefix ? { prefix } : {}) })
    t.teardown(() => app.close())
    for (const url of [`${root}/docs/a`, root, `${root}?q=1`]) {
      const response = await app.inject({ url: marked(url), headers })
      t.match(linesOfResponse(response)[0], ['start', { url: `http://localhost:80${url}` }], url)
    }
    const file = await app.inject({ url: `${root}/robots.txt?_hydrant`, headers })
    t.strictSame(linesOfResponse(file), [['load']])
    const outside = await app.inject({ url: '/docs/a?_hydrant', headers })
    t.equal(outside.statusCode, 404)
  }
})
