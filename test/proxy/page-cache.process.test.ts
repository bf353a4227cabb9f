// The page cache behind nginx as a CDN, with the configuration of docs/proxies/nginx-cache.conf. The header
// X-Cache-Status says what nginx did.

import t, { type Test } from 'tap'
import { NAVIGATION_MARK } from '../../src/shared/wire/navigation-protocol.ts'
import { findDifferences } from '../differences.ts'
import { navigationHeaders } from '../server/lines.ts'
import { buildFiles, type Files, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { HOST, NGINX_CACHE, startDocumented } from './documented.ts'
import { type Answer, openVisitor, type Visitor } from './visitor.ts'

const SECRET = 'secret-of-alice'

const page = 'export default ({ data }) => <p>{JSON.stringify(data)}</p>\n'
const text = 'Long enough to be compressed. '.repeat(100)
const cached = (name: string, load: string, rule = '{ maxAgeS: 600 }', more = ''): Files => ({
  [`pages/${name}.tsx`]: page,
  [`pages/${name}.server.ts`]: `import { HttpError, notFound, redirect } from 'hydrant'
void [HttpError, notFound, redirect]
const site = globalThis.hydrantBehindCdn
export const cache = ${rule}
${more}
export function load(ctx) {
  const { url, params } = ctx
  void [url, params]
  return (() => ${load})()
}
`,
})
const GUARD = `export const guard = ({ request }) => {
  if (!request.headers['x-user']) throw new HttpError(403, 'members only')
  return { user: request.headers['x-user'] }
}`

/** Whether the load of /breaks fails, and how often the loads of some pages have run. */
const site = { isBroken: false, loads: 0, brief: 0 }
Object.assign(globalThis, { hydrantBehindCdn: site })

const dir = await buildFiles(t.testdir({}), {
  'server.ts': `export default async (app) => {
  app.decorateRequest('user', null)
  app.addHook('onRequest', async (request, reply) => {
    request.user = request.headers['x-user'] ?? null
    if (request.headers['x-early-cookie']) reply.header('set-cookie', 'early=' + request.headers['x-early-cookie'])
    if (request.url.startsWith('/staff') && !request.headers.authorization) return reply.code(401).send('who?')
    if (request.headers['x-private']) reply.header('cache-control', 'private').header('x-of-hook', request.headers['x-private'])
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.headers['x-late-cookie']) reply.header('set-cookie', 'late=' + request.headers['x-late-cookie'])
    return request.headers['x-insert'] ? payload.replace('</body>', request.headers['x-insert'] + '</body>') : payload
  })
}
`,
  ...cached('news/[id]', `({ id: params.id, host: url.host, loads: ++site.loads, text: '${text}' })`),
  ...cached('address', '({ href: url.href, seen: [url.search, url.host, url.protocol] })'),
  ...cached('brief', '({ brief: ++site.brief })', '{ maxAgeS: 1, staleS: 600 }'),
  ...cached('same', '({ same: true })', '{ maxAgeS: 1 }'),
  ...cached(
    'breaks',
    "{ if (site.isBroken) throw new Error('broken'); return { isBroken: site.isBroken } }",
    '{ maxAgeS: 1 }',
  ),
  ...cached('members', '({ all: true })', undefined, GUARD),
  ...cached(
    'declared',
    "{ ctx.reply.header('cache-control', 'public, max-age=600'); return { all: true } }",
    undefined,
    GUARD,
  ),
  ...cached('context', '({ of: ctx.context.user })', undefined, GUARD),
  ...cached('user', '({ of: ctx.request.user })'),
  ...cached('headers', '({ ...ctx.request.headers })'),
  ...cached('body', '({ of: ctx.request.body ?? null })'),
  ...cached('cookie', "{ ctx.reply.header('set-cookie', 'of=' + ctx.request.headers['x-user']); return {} }"),
  ...cached('varies', "{ ctx.reply.header('vary', 'x-user'); return { of: ctx.request.headers['x-user'] } }"),
  ...cached('hooked', '({ hooked: true })'),
  ...cached('staff', '({ staff: true })'),
  ...cached('moved', "redirect('/address?of=' + ctx.request.headers['x-user'])"),
  ...cached('missing', "notFound('no ' + ctx.request.headers['x-user'])"),
  ...cached('refused', "{ throw new HttpError(403, 'refused ' + ctx.request.headers['x-user']) }"),
  'pages/personal.tsx': page,
  'pages/personal.server.ts': 'export const load = ({ request }) => ({ of: request.user })\n',
})

const { app, log } = await serve(t, dir, { trustProxy: '127.0.0.1', ledger: false })
await app.listen({ port: 0, host: '127.0.0.1' })
const port = Number(new URL(app.listeningOrigin).port)
const { httpsPort } = await startDocumented(t, NGINX_CACHE, { first: port, second: port, shop: port, docs: '' })
const { ask } = await openVisitor(t, httpsPort, '127.0.0.1')
const other = await openVisitor(t, httpsPort, '127.0.0.2')

const statusOf = ({ headers }: Answer) => headers['x-cache-status']
const all = ({ headers, body }: Answer) => `${JSON.stringify(headers)}\n${body}`
const alice = { 'x-user': SECRET, cookie: `session=${SECRET}`, authorization: `Bearer ${SECRET}` }

/** The forms of a page. */
const FORMS: Record<string, { mark: string; headers: Record<string, string>; type: string }> = {
  document: { mark: '', headers: {}, type: 'text/html; charset=utf-8' },
  JSON: { mark: '', headers: { accept: 'application/json' }, type: 'application/json; charset=utf-8' },
  Markdown: { mark: '', headers: { accept: 'text/markdown' }, type: 'text/markdown; charset=utf-8' },
  navigation: {
    mark: `?${NAVIGATION_MARK}`,
    headers: navigationHeaders(dir),
    type: 'application/x-ndjson; charset=utf-8',
  },
}

const inEachForm = (paths: readonly string[]) =>
  paths.flatMap((path) => Object.entries(FORMS).map(([form, parts]) => ({ path, form, ...parts })))
const nameOf = ({ path, form }: { path: string; form: string }) => `${path} as ${form}`

/** Asks until nginx responds with one of these states. */
function untilStatus(path: string, ...states: readonly string[]): Promise<Answer> {
  return until(async () => {
    const answer = await ask({ path })
    return states.includes(String(statusOf(answer))) ? answer : null
  })
}

/** Returns what a visitor without secrets gets, after Alice has asked for the same. */
async function askAfterAlice(path: string, headers: Record<string, string> = {}, more = {}): Promise<Answer> {
  for (let times = 0; times < 2; times++) await ask({ path, headers: { ...headers, ...alice, ...more } })
  return other.ask({ path, headers })
}

// Asked first, so that they are old when their tests run.
const first = {
  brief: await ask({ path: '/brief' }),
  same: await ask({ path: '/same' }),
  breaks: await ask({ path: '/breaks' }),
}

t.test('nginx stores a document with the headers of the page cache', async (t) => {
  const first = await ask({ path: '/news/1' })
  t.equal(statusOf(first), 'MISS')
  t.match(first.headers, {
    'cache-control': 'public, max-age=0, s-maxage=600',
    age: /^[0-5]$/,
    'cache-tag': 'path:/news/1',
    'content-encoding': 'br',
    vary: 'Accept, Accept-Encoding',
  })
  const second = await other.ask({ path: '/news/1' })
  t.equal(statusOf(second), 'HIT')
  t.equal(second.body, first.body)
  t.equal(second.headers['content-security-policy'], first.headers['content-security-policy'])
  t.equal(second.headers.etag, first.headers.etag)
  const validated = await ask({ path: '/news/1', headers: { 'if-none-match': String(first.headers.etag) } })
  t.match([validated.status, statusOf(validated), validated.body], [304, 'HIT', ''])
})

t.test('many visitors who ask at the same time cause one render', async (t) => {
  const before = site.loads
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? ask : other.ask)({ path: '/news/many' })),
  )
  t.equal(site.loads, before + 1)
  t.equal(new Set(answers.map(({ body }) => body)).size, 1)
})

t.test('each encoding is stored by itself', async (t) => {
  for (const status of ['MISS', 'HIT']) {
    const found: Record<string, unknown[]> = {}
    for (const accepted of ['br', 'gzip', 'identity', 'gzip, deflate, br, zstd']) {
      const answer = await ask({ path: '/news/encoded', headers: { 'accept-encoding': accepted } })
      found[accepted] = [statusOf(answer), answer.headers['content-encoding']]
    }
    t.strictSame(found, {
      br: [status, 'br'],
      gzip: [status, 'gzip'],
      identity: [status, undefined],
      'gzip, deflate, br, zstd': [status, 'br'],
    })
  }
})

t.test('each form stays what it is, and only documents are stored', async (t) => {
  const asked = [...inEachForm(['/news/forms']), ...inEachForm(['/news/reversed']).reverse()]
  for (const stored of ['MISS', 'HIT']) {
    const differences = await findDifferences(asked, nameOf, async (checks, { path, form, mark, headers, type }) => {
      const answer = await ask({ path: path + mark, headers })
      checks.equal(answer.headers['content-type'], type, 'content-type')
      checks.equal(statusOf(answer), form === 'document' ? stored : 'MISS', 'status')
      if (mark === '') return
      // A browser that leaves the site and returns asks for the document under the address of a navigation.
      const returned = await ask({ path: path + mark })
      checks.equal(returned.headers['content-type'] !== type, true, 'another type for a document')
    })
    t.strictSame(differences, {})
  }
})

t.test('two hosts have their own documents', async (t) => {
  const own = await ask({ path: '/news/hosts' })
  t.match(own.body, `&quot;${HOST}:${httpsPort}&quot;`)
  for (const status of ['MISS', 'HIT']) {
    const answer = await ask({ path: '/news/hosts', headers: { ':authority': 'other.example' } })
    t.equal(statusOf(answer), status)
    t.match(answer.body, '&quot;other.example&quot;')
  }
  t.equal((await ask({ path: '/news/hosts' })).body, own.body)
})

t.test('HEAD and ranges do not change what is stored', async (t) => {
  const head = await ask({ path: '/news/head', method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
  t.match([head.status, head.body], [200, ''])
  const whole = await ask({ path: '/news/head', headers: { 'accept-encoding': 'identity' } })
  t.equal(statusOf(whole), 'HIT', 'nginx asks for the document')
  t.match(whole.body, text)
  for (const path of ['/news/head', '/news/range']) {
    const part = await ask({ path, headers: { range: 'bytes=0-9' } })
    t.equal(part.status, 200)
    t.match((await other.ask({ path })).body, /^<!DOCTYPE html>.*<\/html>$/is)
  }
})

t.test('a page with guards is never stored, and those whom they refuse do not get it', async (t) => {
  const asked = inEachForm(['/members', '/declared', '/context'])
  const differences = await findDifferences(asked, nameOf, async (checks, { path, form, mark, headers }) => {
    const refused = await askAfterAlice(path + mark, headers)
    checks.lacks(all(refused), SECRET, 'secret')
    checks.equal(statusOf(refused), 'MISS', 'status')
    checks.lacks(refused.body, 'all', 'data')
    if (form !== 'navigation') checks.equal(refused.status, 403, 'a refusal')
    const own = await ask({ path: path + mark, headers: { ...headers, ...alice } })
    checks.equal([own.status, statusOf(own)], [200, 'MISS'], 'Alice’s own')
  })
  t.strictSame(differences, {})
})

t.test('no secret of a visitor reaches another one', async (t) => {
  const paths = ['user', 'headers', 'body', 'cookie', 'varies', 'moved', 'missing', 'refused', 'personal', 'nowhere']
  const asked = inEachForm(paths.map((path) => `/${path}`))
  const differences = await findDifferences(asked, nameOf, async (checks, { path, mark, headers }) => {
    const answer = await askAfterAlice(path + mark, headers)
    checks.lacks(all(answer), SECRET, 'secret')
    checks.equal(statusOf(answer), 'MISS', 'status')
  })
  t.strictSame(differences, {})
})

t.test(
  'what hooks add for a visitor is never stored: a cookie, a changed text, what they declare private',
  async (t) => {
    for (const name of ['x-early-cookie', 'x-late-cookie', 'x-private', 'x-insert']) {
      const path = `/hooked?${name}`
      const own = await ask({ path, headers: { [name]: SECRET } })
      t.match([statusOf(own), all(own)], ['MISS', SECRET])
      const answer = await askAfterAlice(path, {}, { [name]: SECRET })
      t.notMatch(all(answer), SECRET, name)
      t.equal(statusOf(answer), 'MISS', name)
      t.equal(statusOf(await other.ask({ path })), 'HIT', name)
    }
  },
)

t.test('a page that a hook protects with a password is not sent without it', async (t) => {
  const own = await ask({ path: '/staff', headers: alice })
  t.match([own.status, statusOf(own), own.headers['cache-control']], [200, 'MISS', 'private, no-cache'])
  const refused = await askAfterAlice('/staff')
  t.match([refused.status, refused.body], [401, 'who?'])
})

t.test('no header that is not in the key changes what others get', async (t) => {
  const expected = (await ask({ path: '/address' })).body
  let count = 0
  const names = [
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-forwarded-prefix',
    'x-forwarded-for',
    'forwarded',
    'x-original-url',
    'x-rewrite-url',
    'x-http-method-override',
    'x-host',
    'accept-language',
    'origin',
    'referer',
    'range',
  ]
  const values = [SECRET, `/${SECRET}`, `for=1.2.3.4;host=${SECRET}.example;proto=http`]
  const lines = names.flatMap((name) => values.map((value) => ({ name, value })))
  const lineOf = ({ name, value }: { name: string; value: string }) => `${name}: ${value}`
  const differences = await findDifferences(lines, lineOf, async (checks, { name, value }) => {
    // An address that nobody has asked for, so that the request with the header is the one that is stored.
    const path = `/address?unseen=${++count}`
    await ask({ path, headers: { [name]: value } })
    const answer = await other.ask({ path })
    checks.equal(answer.body, expected, 'body')
    checks.lacks(JSON.stringify(answer.headers), SECRET, 'headers')
  })
  t.strictSame(differences, {})
})

t.test('other spellings of a path do not lead to pages of others', async (t) => {
  for (const path of [
    '/user/x.css',
    '/user;x.css',
    '/user%2Fx.css',
    '/news/..%2fuser',
    '//user',
    '/./user',
    '/user%00',
  ])
    t.notMatch(all(await askAfterAlice(path)), SECRET, path)
})

t.test('responses to other methods are not stored', async (t) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const path = `/news/${method}`
    await ask({ path, method, headers: alice, ...(method.startsWith('P') && { body: 'a=1' }) })
    const answer = await other.ask({ path })
    t.match([answer.status, statusOf(answer)], [200, 'MISS'], method)
  }
})

t.test('an old document is sent while nginx gets the new one', async (t) => {
  const stale = await untilStatus('/brief', 'STALE', 'UPDATING')
  t.match(stale.body, 'brief')
  const newer = await until(async () => {
    // nginx asks for the new one with the headers of the visitor who got the old one.
    await ask({ path: '/brief', headers: { ...alice, 'x-insert': SECRET } })
    const answer = await other.ask({ path: '/brief' })
    t.notMatch(all(answer), SECRET)
    return answer.body === first.brief.body ? null : answer
  })
  t.match(newer.headers['cache-control'], 'stale-while-revalidate=600')
})

t.test('nginx validates a document that has not changed by its ETag', async (t) => {
  const validated = await untilStatus('/same', 'REVALIDATED')
  t.equal(validated.status, 200)
  t.equal(validated.body, first.same.body)
  t.equal(validated.headers.etag, first.same.headers.etag)
  t.notMatch(all(await askAfterAlice('/same', {}, { 'x-late-cookie': SECRET })), SECRET)
})

t.test('while a page fails, the old document is sent', async (t) => {
  site.isBroken = true
  const stale = await untilStatus('/breaks', 'STALE')
  t.match([stale.status, stale.body], [200, first.breaks.body])
  await until(() => log.errors().length > 0)
  site.isBroken = false
  const working = await untilStatus('/breaks', 'HIT', 'REVALIDATED', 'EXPIRED')
  t.equal(working.status, 200)
})

t.test('while no server runs, nginx sends what it has', async (t) => {
  const first = await ask({ path: '/news/1' })
  const brief = await ask({ path: '/same' })
  await app.close()
  await checkSentAfterClose(t, other, '/news/1', first)
  await checkSentAfterClose(t, other, '/same', brief)
  t.equal((await other.ask({ path: '/news/never-asked' })).status, 502)
})

async function checkSentAfterClose(t: Test, visitor: Visitor, path: string, expected: Answer) {
  const { status, body } = await visitor.ask({ path })
  t.match([status, body], [200, expected.body], path)
}
