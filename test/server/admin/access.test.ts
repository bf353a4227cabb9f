import type { IncomingHttpHeaders } from 'node:http'
import t from 'tap'
import { findFailing } from '../../find-failing.ts'
import { until } from '../../until.ts'
import { failureOf, serveAdmin } from './served-admin.ts'

const TOKEN = 'correct-horse-battery'
const READ_TOKEN = 'only-for-reading-it'
const BROWSER = { accept: 'text/html,*/*;q=0.8' }
const typeOf = (headers: IncomingHttpHeaders) => headers['content-type']?.split(';')[0]

t.test('without a token only this machine’s own names get a response', async (t) => {
  const admin = await serveAdmin(t)
  const { port } = admin
  const own = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`]
  const statusFor = async (host: string) => (await admin.ask('/api/failures', { host })).status
  t.strictSame(await findFailing(own, statusFor, () => 200), [])
  const others = [`evil.example:${port}`, 'localhost', 'localhost:1', `localhost.evil.example:${port}`, `127.0.0.1`]
  const paths = ['/', '/api/failures', '/api/events', '/metrics', '/?_hydrant', '/nowhere']
  const failing = await findFailing(
    others.flatMap((host) => paths.map((path) => ({ host, path }))),
    async ({ host, path }) => {
      const { status, headers } = await admin.ask(path, { host })
      return [status, typeOf(headers)]
    },
    () => [421, 'application/problem+json'],
  )
  t.strictSame(failing, [])
  const forwarded = await admin.ask('/', { host: `evil.example:${port}`, 'x-forwarded-host': `localhost:${port}` })
  t.equal(forwarded.status, 421, 'forwarded headers count for nothing')
})

t.test('a request without a route gets a refusal, in the format that the client prefers', async (t) => {
  const admin = await serveAdmin(t)
  const requests = [
    ['GET', '/%zz', 400],
    ['OPTIONS', '/metrics', 404],
    ['OPTIONS', '/api/failures', 404],
  ] as const
  const failing = await findFailing(
    requests,
    async ([method, path]) => {
      const problem = await admin.ask(path, { accept: 'application/json' }, method)
      const { status, instance } = JSON.parse(problem.body)
      const document = await admin.ask(path, BROWSER, method)
      return {
        problem: [problem.status, problem.headers['content-type'], problem.headers['cache-control']],
        body: [status, instance],
        document: [document.status, typeOf(document.headers)],
      }
    },
    ([, path, status]) => ({
      problem: [status, 'application/problem+json; charset=utf-8', 'no-store'],
      body: [status, path],
      document: [status, 'text/html'],
    }),
  )
  t.strictSame(failing, [])
  const guarded = await serveAdmin(t, { token: TOKEN })
  t.equal((await guarded.ask('/metrics', { accept: 'application/json' }, 'OPTIONS')).status, 401)
})

t.test('other sites can neither change nor read anything', async (t) => {
  const admin = await serveAdmin(t)
  await admin.keep(failureOf('7K2M9QX4-3F8ZC1'))
  const solve = '/api/failures/7K2M9QX4/solve'
  const senders = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]
  const changing = await findFailing(
    senders.flatMap((headers) => [solve, '/failures/7K2M9QX4'].map((path) => ({ path, headers }))),
    async ({ path, headers }) => (await admin.ask(path, headers, 'POST')).status,
    () => 403,
  )
  t.strictSame(changing, [])
  t.equal((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, null)
  const fetched = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }
  const reading = await findFailing(
    ['/', '/api/failures', '/api/events'],
    async (path) => (await admin.ask(path, fetched)).status,
    () => 403,
  )
  t.strictSame(reading, [])
  const framed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
  t.equal((await admin.ask('/', framed)).status, 403)
  const linked = { ...framed, 'sec-fetch-dest': 'document' }
  t.equal((await admin.ask('/', linked)).status, 200, 'a link may lead here')
  t.equal((await admin.ask(solve, {}, 'POST')).status, 200, 'a script may')
  t.equal((await admin.ask(solve, { 'sec-fetch-site': 'same-origin' }, 'POST')).status, 200, 'the console may')
})

t.test('with a token nothing is disclosed without it', async (t) => {
  const admin = await serveAdmin(t, { token: TOKEN })
  await admin.keep(failureOf('7K2M9QX4-3F8ZC1'))
  const api = await findFailing(
    ['/api/failures', '/api/failures/7K2M9QX4', '/api/slow', '/api/slow/A-1', '/api/events', '/metrics'],
    async (path) => {
      const { status, headers } = await admin.ask(path, BROWSER)
      return [status, headers['www-authenticate']?.split(' ')[0], typeOf(headers)]
    },
    () => [401, 'Bearer', 'application/problem+json'],
  )
  t.strictSame(api, [])
  const pages = await findFailing(
    [
      '/',
      '/failures/7K2M9QX4',
      '/find?digest=7K2M9QX4',
      '/slow',
      '/slow/A-1',
      '/?_hydrant',
      '/failures/7K2M9QX4?_hydrant',
    ],
    async (path) => {
      const { status } = await admin.ask(path, { accept: 'application/json' })
      const page = await admin.ask(path, BROWSER)
      return [status, page.status, page.headers.location?.split('?')[0], /TypeError/.test(page.body)]
    },
    () => [401, 303, '/sign-in', false],
  )
  t.strictSame(pages, [])
  t.equal((await admin.ask('/failures/7K2M9QX4', BROWSER)).headers.location, '/sign-in?to=%2Ffailures%2F7K2M9QX4')
  t.equal((await admin.ask('/sign-in', BROWSER)).status, 200)
  const authorization = `Bearer ${TOKEN}`
  const anyHost = { authorization, host: 'ops.example' }
  t.equal((await admin.ask('/api/failures', anyHost)).status, 200, 'and with it under any name')
  t.match((await admin.ask('/metrics', anyHost)).body, 'hydrant_requests_total')
})

t.test('the read token reads everything and changes nothing', async (t) => {
  const admin = await serveAdmin(t, { token: TOKEN, readToken: READ_TOKEN })
  await admin.keep(failureOf('7K2M9QX4-3F8ZC1'))
  const authorization = `Bearer ${READ_TOKEN}`
  const read = await findFailing(
    ['/', '/failures/7K2M9QX4', '/api/failures', '/api/failures/7K2M9QX4', '/metrics'],
    async (path) => (await admin.ask(path, { authorization, ...BROWSER })).status,
    () => 200,
  )
  t.strictSame(read, [])
  const page = (path: string, token: string) => admin.ask(path, { authorization: `Bearer ${token}`, ...BROWSER })
  for (const path of ['/', '/failures/7K2M9QX4']) {
    t.notMatch((await page(path, READ_TOKEN)).body, /value="solve"|type="checkbox"/, path)
    t.match((await page(path, TOKEN)).body, 'value="solve"', path)
  }
  const changes = [
    ['POST', '/api/failures/7K2M9QX4/solve'],
    ['POST', '/api/failures/7K2M9QX4/reopen'],
    ['POST', '/failures/7K2M9QX4'],
    ['POST', '/'],
    ['POST', '/_hydrant/data/failures/7K2M9QX4'],
    ['POST', '/_hydrant/data/'],
    ['PUT', '/failures/7K2M9QX4'],
    ['DELETE', '/api/failures/7K2M9QX4'],
  ] as const
  const changed = await findFailing(
    changes,
    async ([method, path]) => {
      const { status, body } = await admin.ask(path, { authorization }, method)
      return [status, body.includes('This token is read-only.')]
    },
    () => [403, true],
  )
  t.strictSame(changed, [])
  t.equal((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, null)
  const signIn = { method: 'POST', body: new URLSearchParams({ token: READ_TOKEN }), redirect: 'manual' } as const
  const cookie = (await fetch(`${admin.origin}/sign-in`, signIn)).headers.get('set-cookie')?.split(';')[0] ?? ''
  t.equal((await admin.ask('/', { ...BROWSER, cookie })).status, 200)
  t.equal((await admin.ask('/api/failures/7K2M9QX4/solve', { cookie }, 'POST')).status, 403)
})

t.test('the sign-in form sets a cookie and redirects to the requested page', async (t) => {
  const admin = await serveAdmin(t, { token: TOKEN })
  const send = (path: string, fields: Record<string, string>) =>
    fetch(admin.origin + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

  const wrong = await send('/sign-in', { token: 'not-the-token-at-all' })
  t.equal(wrong.status, 422)
  t.equal(wrong.headers.get('set-cookie'), null)
  t.match(await wrong.text(), 'The token is wrong.')

  const right = await send('/sign-in?to=%2Ffailures%2F7K2M9QX4%3Fa%3Db', { token: TOKEN })
  t.equal(right.status, 303)
  t.equal(right.headers.get('location'), '/failures/7K2M9QX4?a=b')
  const set = right.headers.get('set-cookie') ?? ''
  t.match(set, /HttpOnly; SameSite=Strict/)
  const cookie = set.split(';')[0] ?? ''
  t.equal((await admin.ask('/', { ...BROWSER, cookie })).status, 200)
  t.equal((await admin.ask('/api/failures', { cookie })).status, 200)

  const targets = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
  ]
  const leaving = await findFailing(
    targets,
    async (to) => (await send(`/sign-in?${new URLSearchParams({ to })}`, { token: TOKEN })).headers.get('location'),
    () => '/',
  )
  t.strictSame(leaving, [])

  const headers = { 'x-forwarded-proto': 'https' }
  const body = new URLSearchParams({ token: TOKEN })
  const byHttps = await fetch(`${admin.origin}/sign-in`, { method: 'POST', body, headers, redirect: 'manual' })
  t.match(byHttps.headers.get('set-cookie'), /; Secure$/)

  const out = await send('/sign-in', { intent: 'out' })
  t.equal(out.headers.get('location'), '/sign-in')
  t.match(out.headers.get('set-cookie'), /=; Max-Age=0/)

  for (let count = 0; count < 10; count++) await send('/sign-in', { token: 'wrong' })
  const late = await Promise.all(Array.from({ length: 11 }, () => send('/sign-in', { token: 'wrong' })))
  const refused = late.find(({ status }) => status === 429)
  t.equal(refused?.headers.get('retry-after'), '1')
  t.equal(refused?.headers.get('set-cookie'), null)
})

t.test('wrong tokens of an address do not keep out its right ones', async (t) => {
  const admin = await serveAdmin(t, { token: TOKEN, readToken: READ_TOKEN })
  const scrape = (token: string) => fetch(`${admin.origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const wrong = Array.from({ length: 30 }, () => scrape('not-the-token-at-all'))
  // Some are refused at once, because others wait for their response.
  let isRefused = false
  for (const answer of wrong)
    void answer.then(({ status }) => {
      isRefused ||= status === 429
    })
  await until(() => isRefused)
  const right = await Promise.all([scrape(TOKEN), scrape(READ_TOKEN)])
  t.strictSame(
    right.map(({ status }) => status),
    [200, 200],
  )
  const statuses = (await Promise.all(wrong)).map(({ status }) => status)
  t.strictSame(
    statuses.filter((status) => ![401, 429].includes(status)),
    [],
  )
})

t.test('a malformed request is refused as on the site', async (t) => {
  const admin = await serveAdmin(t)
  const answer = await admin.ask('/', { 'x-long': 'x'.repeat(20_000) })
  t.equal(answer.status, 431)
  t.match(answer.headers['content-type'], 'application/problem+json')
})

t.test('no response may be stored or framed', async (t) => {
  const admin = await serveAdmin(t)
  const policies = [/default-src 'none'/, /frame-ancestors 'none'/, /script-src 'nonce-[\w+/=]+' 'strict-dynamic'/]
  const expected: Record<string, string | undefined> = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'access-control-allow-origin': undefined,
  }
  const failing = await findFailing(
    ['/', '/nowhere', '/api/failures', '/api/failures/none', '/metrics', '/find?digest=x'],
    async (path) => {
      const { headers } = await admin.ask(path, BROWSER)
      const { 'content-security-policy': policy = '' } = headers
      const others = Object.fromEntries(Object.keys(expected).map((name) => [name, headers[name]]))
      return { ...others, policy: policies.every((part) => part.test(String(policy))) ? 'right' : policy }
    },
    () => ({ ...expected, policy: 'right' }),
  )
  t.strictSame(failing, [])
})

t.test('the log says who signs in and who changes something, and counts refused requests', async (t) => {
  const admin = await serveAdmin(t, { token: TOKEN, readToken: READ_TOKEN })
  await admin.keep(failureOf('7K2M9QX4-3F8ZC1'))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const signIn = (token: string) =>
    fetch(`${admin.origin}/sign-in?to=%2F`, { method: 'POST', body: `token=${token}`, headers, redirect: 'manual' })
  const messages = () => admin.log.lines.map(({ msg }) => msg).filter((msg) => msg.includes('from 127.0.0.1, status'))
  await admin.ask('/', BROWSER)
  await admin.ask('/api/failures', { authorization: `Bearer ${READ_TOKEN}` })
  await signIn(TOKEN)
  await admin.ask('/api/failures/7K2M9QX4/solve?a=b', { authorization: `Bearer ${TOKEN}` }, 'POST')
  await signIn('wrong')
  await admin.ask('/api/failures/7K2M9QX4/solve', { authorization: `Bearer ${READ_TOKEN}` }, 'POST')
  await admin.ask('/metrics', { authorization: 'Bearer wrong' })
  const expected = [
    'console: POST /sign-in from 127.0.0.1, status 303',
    'console: POST /api/failures/7K2M9QX4/solve from 127.0.0.1, status 200',
    'refused 1 request to the console; the last one: POST /sign-in from 127.0.0.1, status 422',
  ]
  await until(() => messages().length >= expected.length)
  t.strictSame(messages(), expected, 'the other refusals are counted by the line of the next minute')
  t.notMatch(JSON.stringify(admin.log.lines), TOKEN)
})
