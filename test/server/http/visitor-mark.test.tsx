import t from 'tap'
import { redirect } from '../../../src/server/index.ts'
import type { IdentifyVisitor } from '../../../src/server/options/config.ts'
import { findFailing } from '../../find-failing.ts'
import { navigationHeaders, type SiteModules, testSite } from '../../test-site.ts'
import { marked } from '../lines.ts'
import { HTML, JSON_ONLY } from '../served.ts'

interface Replying {
  reply: { header(name: string, value: string): void }
}

const cache = { maxAgeS: 60 }
const headers = (name: string, value: string) => ({ load: ({ reply }: Replying) => void reply.header(name, value) })

const site: SiteModules = {
  '/': { load: () => ({ at: 'home' }), action: () => 'done' },
  '/stored': { cache, load: () => 'stored' },
  '/parted': { cache, load: () => 'parted', loadVisitor: () => 'own' },
  '/shared': headers('cache-control', 'public, max-age=60'),
  '/shared-beside': headers('cdn-cache-control', 'max-age=60'),
  '/shared-by-default': headers('cache-control', 'max-age=60'),
  '/kept': headers('cache-control', 'private, max-age=60'),
  '/moved': { load: () => redirect('/') },
  '/fails': {
    load() {
      throw new Error('x')
    },
  },
  '/signs': {
    action({ reply }: Replying) {
      reply.header('set-cookie', 'user=ada')
      redirect('/')
    },
  },
  '/only': { Component: () => <p>only</p>, hydrate: false },
}

const NAVIGATION = navigationHeaders()
const ADA = { ...HTML, 'x-user': 'ada' }
/** The beginning of the SHA-256 of the name. */
const MARK = '_e5DDUC9V97q'

async function serveSite(identifyVisitor: IdentifyVisitor, timeouts = {}) {
  const calls: string[] = []
  const served = await testSite(t, site, {
    ledger: false,
    pageCache: { header: true },
    timeouts,
    identifyVisitor(request) {
      calls.push(request.url)
      return identifyVisitor(request)
    },
  })
  return { ...served, calls }
}

const byHeader: IdentifyVisitor = async ({ headers }) => headers['x-user']?.toString()
const known = await serveSite(byHeader)
const markOf = (body: string) => /"visitor":"([^"]*)"/.exec(body)?.[1]

t.test('a response that belongs to the visitor has the mark, and the id stays on the server', async (t) => {
  const { get, calls, app } = known
  for (const path of ['/', '/kept', '/fails']) {
    for (const [url, more] of [
      [path, ADA],
      [marked(path), { ...NAVIGATION, ...ADA }],
    ] as const) {
      calls.length = 0
      const { body, headers: sent } = await get(url, more)
      t.equal(markOf(body), MARK, url)
      t.notMatch(body, 'ada', url)
      t.notMatch(String(sent['cache-control']), /public|s-maxage/, url)
      t.strictSame(calls, [path], 'once')
    }
  }
  t.equal(markOf((await get('/')).body), '', 'nobody')
  t.equal(markOf((await get(marked('/'), { ...NAVIGATION, ...HTML })).body), '')
  const { body } = await app.inject({ method: 'POST', url: '/', headers: { ...ADA, origin: 'http://localhost' } })
  t.equal(markOf(body), MARK, 'a form')
})

t.test('a document stores the mark before any other script runs', async (t) => {
  const { body } = await known.get('/', ADA)
  const [, script = ''] = /<script nonce="[^"]+">(self\.[^<]*)<\/script>/.exec(body) ?? []
  const run = (storage: Record<string, string>) => {
    new Function('self', 'sessionStorage', script)({}, storage)
    return storage
  }
  const kept = [
    { key: 'a', by: '' },
    { key: 'b', by: 'other' },
    { key: 'c', by: MARK },
  ]
  const { hydrantState = '', hydrantVisitor } = run({ hydrantState: JSON.stringify(kept) })
  t.equal(hydrantVisitor, MARK)
  t.strictSame(JSON.parse(hydrantState), [
    { key: 'a', by: MARK },
    { key: 'c', by: MARK },
  ])
  t.strictSame(run({}), { hydrantVisitor: MARK })
})

t.test('a response that others may get has no mark, and the option is not asked', async (t) => {
  const { get, calls } = known
  const failing = await findFailing(
    ['/stored', '/parted', '/shared', '/shared-beside', '/shared-by-default', '/moved', '/only'],
    async (path) => {
      for (const round of [1, 2]) {
        calls.length = 0
        const { body } = await get(path, ADA)
        if (markOf(body) !== undefined || body.includes(MARK) || calls.length > 0) return `${path} ${round}: ${body}`
      }
      return undefined
    },
  )
  t.strictSame(failing, [])
  for (const path of ['/stored', '/parted']) t.match((await get(path, ADA)).headers['hydrant-cache'], 'hit')
  calls.length = 0
  for (const url of ['/stored', marked('/stored')]) t.equal(markOf((await get(url, JSON_ONLY)).body), undefined)
  await get('/', JSON_ONLY)
  await get('/', { accept: 'text/markdown' })
  t.strictSame(calls, [], 'nor for a program')
})

t.test('no shared cache may store a response with a mark, whatever hooks say', async (t) => {
  const { get } = await testSite(t, site, {
    identifyVisitor: byHeader,
    server(app: { addHook: CallableFunction }) {
      app.addHook('onSend', async (_request: unknown, reply: Replying['reply']) => {
        reply.header('cache-control', 'public, max-age=60')
        reply.header('cdn-cache-control', 'max-age=60')
      })
    },
  })
  for (const [url, more] of [
    ['/', ADA],
    [marked('/'), { ...NAVIGATION, ...ADA }],
  ] as const) {
    const { body, headers } = await get(url, more)
    t.equal(markOf(body), MARK)
    t.match(headers['cache-control'], /private|no-store/)
    t.notMatch(headers['cache-control'], 'public')
    t.match(headers['cdn-cache-control'] ?? 'no-store', /^no-store$/)
  }
})

t.test('an option that fails is logged once a minute, and the page is that of nobody', async (t) => {
  const failures: Record<string, IdentifyVisitor> = {
    'no store': () => {
      throw new Error('no store')
    },
    'no answer': () => Promise.reject(new Error('no answer')),
    'It took longer than 20 ms.': () => new Promise(() => {}),
    // @ts-expect-error a number is no id
    'It must return a string or nothing; got number.': () => 7,
  }
  for (const [message, identifyVisitor] of Object.entries(failures)) {
    const { get, log } = await serveSite(identifyVisitor, { loadMs: 20 })
    for (let times = 0; times < 3; times++) {
      const { body, statusCode } = await get('/', ADA)
      t.equal(statusCode, 200)
      t.equal(markOf(body), '', message)
    }
    const lines = log.lines.filter(({ msg }) => msg.includes('identifyVisitor'))
    t.equal(lines.length, 1, message)
    t.match(lines, [{ level: 40, msg: 'the option "identifyVisitor" threw', err: { message } }])
    t.strictSame(log.errors(), [])
  }
})

t.test('the line of an option that fails does not show cookies of the visitor', async (t) => {
  const { get, log } = await serveSite(({ headers }) => JSON.parse(String(headers.cookie?.slice('user='.length))).id)
  await get('/', { ...ADA, cookie: 'user=qz7rkw2x' })
  const [line] = log.lines.filter(({ msg }) => msg.includes('identifyVisitor'))
  t.match(line, { err: { type: 'SyntaxError', message: /\[hidden\]/ } })
  t.notMatch(JSON.stringify(line), 'qz7rkw2x')
})

t.test('an option of another type is an error that says so', async (t) => {
  // @ts-expect-error it must be a function
  await t.rejects(testSite(t, site, { identifyVisitor: 'name' }), {
    message: /"identifyVisitor" must be a function; got "name"/,
  })
})

t.test('an accepted form says whether it has set a cookie, with the option and without', async (t) => {
  const plain = await testSite(t, site)
  for (const { app } of [known, plain]) {
    const post = async (url: string) => {
      const form = { ...NAVIGATION, ...HTML, origin: 'http://localhost' }
      return (await app.inject({ method: 'POST', url: marked(url), headers: form })).headers['hydrant-acted']
    }
    t.equal(await post('/signs'), 'cookie')
    t.notMatch(await post('/'), 'cookie')
  }
  const { body } = await plain.get('/', ADA)
  t.equal(markOf(body), undefined)
  t.notMatch(body, 'sessionStorage')
})
