// Pages whose shell is stored, with parts that belong to the visitor.

import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { BUILD_HEADER, LAYOUTS_HEADER, NAVIGATION_MARK } from '../../../src/shared/wire/navigation-protocol.ts'
import type { LogLine } from '../../site-server.ts'
import { testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { buildFiles, type Files, HTML, JSON_ONLY, serve } from '../served.ts'

const counts: Record<string, number> = {}
const waits: Record<string, (value?: unknown) => void> = {}
Object.assign(globalThis, { counts, waits })
const count = 'const count = (name) => (counts[name] = (counts[name] ?? 0) + 1)\n'

const PAGE = `import { Suspense, use } from 'react'
export default function Page({ data, visitorData }) {
  counts.page = (counts.page ?? 0) + 1
  return (
    <main>
      <title>{data.text}</title>
      <h1>{data.text}</h1>
      <Suspense fallback={<i>Loading</i>}><Part promise={visitorData} /></Suspense>
      <p>{'x'.repeat(2000)}</p>
    </main>
  )
}
function Part({ promise }) {
  const { name, more } = use(promise)
  return <section><b>{'For ' + name}</b><Suspense fallback="…">{more && <em>{use(more)}</em>}</Suspense></section>
}
`
const VISITOR = `export async function loadVisitor({ request, context }) {
  count('visitor')
  const name = request.headers['x-user'] ?? 'nobody'
  if (name === 'fails') throw new Error('secret reason')
  if (name === 'refused') throw new HttpError(403, 'Not yours.')
  if (name === 'held') await new Promise((resolve) => { waits.visitor = resolve })
  return { name: [name, context.role].join(''), more: name === 'deep' ? Promise.resolve('deeper') : null }
}
`
interface Parts {
  load: string
  rule?: string
  page?: string
  visitor?: string
  before?: string
}
const shared = (
  name: string,
  { load, rule = '{ maxAgeS: 60 }', page = PAGE, visitor = VISITOR, before = '' }: Parts,
): Files => ({
  [`pages/${name}.tsx`]: page,
  [`pages/${name}.server.ts`]: `import { HttpError } from 'hydrant'\n${count}${before}export const cache = ${rule}\n${load}\n${visitor}`,
})

const files: Files = {
  'server.ts': `import { AsyncLocalStorage } from 'node:async_hooks'
const visitors = Object.assign(globalThis, { visitors: new AsyncLocalStorage() }).visitors
export default async function plugin(app) {
  app.decorateReply('cspNonce', null)
  app.addHook('onRequest', (request, reply, done) => visitors.run(request.headers['x-user'], done))
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-cookie']) reply.header('set-cookie', 'a=' + request.headers['x-cookie'])
    if (request.headers['x-public']) reply.header('cache-control', 'public, max-age=60').header('cdn-cache-control', 'max-age=60')
    if (!request.headers['x-nonces']) return
    reply.cspNonce = { script: 'script-' + request.id, style: 'style-' + request.id }
    const { script, style } = reply.cspNonce
    reply.header('content-security-policy', "script-src 'nonce-" + script + "'; style-src 'nonce-" + style + "'")
  })
}
`,
  ...shared('shop', { load: "export const load = () => ({ text: 'run ' + count('shop') })" }),
  ...shared('products/[id]', {
    load: "export const load = ({ params }) => ({ text: params.id + ' run ' + count('product') })",
    rule: "{ maxAgeS: 60, tags: ({ params }) => ['product:' + params.id] }",
  }),
  ...shared('stale', {
    load: "export const load = () => { if (counts.staleFails) throw new Error('down'); return { text: 'run ' + count('stale') } }",
    rule: '{ maxAgeS: 0, staleS: 60 }',
  }),
  ...shared('lasting', {
    load: "export const load = async () => { await new Promise((resolve) => setTimeout(resolve, 30)); return { text: 'run ' + count('lasting') } }",
    rule: '{ maxAgeS: 0, staleS: 60 }',
  }),
  ...shared('told/[id]', {
    load: "export const load = () => ({ text: 'told ' + visitors.getStore() })",
    visitor: 'export const loadVisitor = () => ({ name: visitors.getStore() })',
  }),
  ...shared('slow', {
    load: "export const load = async () => ({ text: await new Promise((resolve) => { waits['slow' + count('slow')] = resolve }) })",
    rule: "{ maxAgeS: 60, tags: ['slow'] }",
  }),
  ...shared('deferred', {
    load: "export const load = () => ({ text: new Date(0).toISOString(), at: new Date(0), late: new Promise((resolve) => setImmediate(resolve, { inner: Promise.resolve('inner ' + count('deferred')) })) })",
    page: `import { Suspense, use } from 'react'
const Late = ({ promise }) => <p>{use(use(promise).inner)}</p>
const Part = ({ promise }) => <b>{'For ' + use(promise).name}</b>
export default ({ data, visitorData }) => <main><Suspense fallback="late"><Late promise={data.late} /></Suspense>
  <h1>{data.at.getTime()}</h1><Suspense fallback="part"><Part promise={visitorData} /></Suspense></main>
`,
  }),
  ...shared('member', {
    load: "export const load = () => ({ text: 'run ' + count('member') })",
    before:
      "export const guard = ({ request }) => { if (!request.headers['x-role']) throw new HttpError(403, 'Members only.'); return { role: request.headers['x-role'] } }\n",
  }),
  ...shared('personal', {
    load: "export const load = ({ request }) => ({ text: 'shared ' + request.headers['x-user'] })",
  }),
  'shop/users.server.ts':
    "import { perRequest } from 'hydrant'\nexport const currentUser = perRequest(async ({ request }) => {\n  await null\n  return request.headers.cookie\n})\n",
  'pages/named/layout.tsx': 'export default ({ data, children }) => <div>{data}{children}</div>\n',
  'pages/named/layout.server.ts':
    "import { currentUser } from '../../shop/users.server.ts'\nexport async function load(ctx) {\n  return await currentUser(ctx)\n}\n",
  ...shared('named/index', { load: "export const load = () => ({ text: 'named' })" }),
  ...shared('outside', {
    load: 'export const load = () => ({ text: count("outside") })',
    page: "import { use } from 'react'\nexport default ({ visitorData }) => <p>{'For ' + use(visitorData).name}</p>\n",
  }),
  ...shared('unread', {
    load: "export const load = () => ({ text: 'run ' + count('unread') })",
    page: 'export default ({ data }) => <h1>{data.text}</h1>\n',
  }),
  ...shared('broken', {
    load: "export const load = () => ({ text: 'run ' + count('broken') })",
    page: `import { Suspense, use } from 'react'
const Fails = () => { throw new Error('shell') }
const Part = ({ promise }) => <b>{'For ' + use(promise).name}</b>
export default ({ visitorData }) => <main><Suspense fallback="…"><Fails /></Suspense><Suspense fallback="…"><Part promise={visitorData} /></Suspense></main>
`,
  }),
  ...shared('still', {
    load: "export const load = () => ({ text: 'run ' + count('still') })",
    page: `export const hydrate = false\n${PAGE}`,
  }),
  ...shared('injected', {
    load: 'export const load = () => ({ text: \'<script>evil()</script><script nonce="x">evil()</script>\' })',
    page: PAGE.replace('<h1>', '<div dangerouslySetInnerHTML={{ __html: data.text }} /><h1>'),
  }),
}

const dir = await buildFiles(t.testdir({}), files)
const visitor = (name: string, more: Record<string, string> = {}) => ({ ...HTML, 'x-user': name, ...more })
const options = { pageCache: { header: true } }
const SHELL_END = '[0,"open",'

/** Returns the parts of a document: the stored one, and the rest. */
function split(body: string) {
  const end = body.indexOf('</script>', body.indexOf(SHELL_END)) + '</script>'.length
  return { shell: body.slice(0, end), rest: body.slice(end) }
}

t.test('the shell is rendered once, and each visitor gets the same shell with their own rest', async (t) => {
  const { get, log } = await serve(t, dir, options)
  const first = await get('/shop', visitor('Ann'))
  const runs = counts.page ?? 0
  const others = await Promise.all(['Bob', 'Cid'].map((name) => get('/shop', visitor(name))))
  const [bob] = others
  t.equal(first.headers['hydrant-cache'], 'miss')
  t.equal(bob?.headers['hydrant-cache'], 'hit')
  t.equal(counts.shop, 1)
  t.equal((counts.page ?? 0) - runs, 2, 'components around the part are rendered for each visitor')
  const shell = split(first.body).shell
  t.match(shell, /^<!DOCTYPE html>.*<title>run 1<\/title>.*<h1>run 1<\/h1>.*<i>Loading<\/i>/s)
  t.notMatch(shell, /Ann|nonce=/)
  t.match(split(first.body).rest, /For Ann.*<\/body><\/html>$/s)
  for (const [index, { body, statusCode }] of others.entries()) {
    t.equal(statusCode, 200)
    t.equal(split(body).shell, shell)
    t.match(split(body).rest, `For ${['Bob', 'Cid'][index]}`)
    t.match(split(body).rest, `[1,"value",{"plain":{"name":"${['Bob', 'Cid'][index]}","more":null}}]`)
    t.match(split(body).rest, '[0,"end"]')
    t.notMatch(split(body).rest, index === 0 ? /Ann|Cid/ : /Ann|Bob/)
  }
  t.strictSame(log.errors(), [])
})

t.test('no cache may store the response, whatever hooks say', async (t) => {
  const { get } = await serve(t, dir, options)
  for (const accept of [HTML.accept, JSON_ONLY.accept, 'text/markdown'])
    for (const run of [1, 2]) {
      const { headers } = await get('/shop', visitor('Ann', { accept, 'x-public': '1' }))
      t.match(headers['cache-control'], /^(private, )?no-store$/, `${accept} ${run}`)
      t.equal(headers['cdn-cache-control'], undefined)
      t.equal(headers['cache-tag'], undefined)
    }
})

t.test('the policy has the hashes of the shell and a new nonce for each rest', async (t) => {
  const { get } = await serve(t, dir, options)
  const nonces = new Set<string>()
  for (const name of ['Ann', 'Bob']) {
    const { body, headers } = await get('/shop', visitor(name))
    const policy = String(headers['content-security-policy'])
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    nonces.add(nonce)
    t.match(policy, /^script-src ('sha256-[^']+' )+'nonce-[^']+' 'strict-dynamic'; object-src 'none'; base-uri 'none'/)
    const { shell, rest } = split(body)
    const hashes = [...shell.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => sha256(text))
    t.ok(hashes.length >= 4)
    t.strictSame(
      hashes.filter((hash) => !policy.includes(hash)),
      [],
    )
    const tags = rest.match(/<script[^>]*>/g)?.filter((tag) => tag !== `<script nonce="${nonce}">`)
    t.strictSame(tags, [])
  }
  t.equal(nonces.size, 2)
})

t.test('nonces of a hook stay in its policy, next to hashes of scripts and styles', async (t) => {
  const { get } = await serve(t, dir, options)
  for (const name of ['Ann', 'Bob']) {
    const { body, headers } = await get('/shop', visitor(name, { 'x-nonces': '1' }))
    const policy = String(headers['content-security-policy'])
    t.match(policy, /^script-src 'nonce-script-[^']+' 'sha256-.*; style-src 'nonce-style-[^']+' 'sha256-/)
    const { shell, rest } = split(body)
    t.notMatch(shell, 'nonce=')
    for (const [, text = ''] of shell.matchAll(/<style[^>]*>(.*?)<\/style>/gs))
      t.ok(policy.includes(sha256(text)), text)
    t.match(rest, 'nonce="script-')
  }
})

t.test('a script in text of the site gets no hash', async (t) => {
  const { get } = await serve(t, dir, options)
  const { body, headers } = await get('/injected', visitor('Ann'))
  t.equal(headers['hydrant-cache'], 'miss')
  t.match(body, '<script>evil()</script>')
  t.notMatch(headers['content-security-policy'], sha256('evil()'))
})

t.test('gzip is made of the stored shell and the rest, and other encodings work too', async (t) => {
  const { get, app } = await serve(t, dir, options)
  await get('/shop', visitor('Ann'))
  for (const name of ['Bob', 'Cid'.repeat(20_000)]) {
    const ask = async (accepted: string) => {
      const headers = { ...HTML, 'x-user': name, 'accept-encoding': accepted }
      const response = await app.inject({ url: '/shop', headers })
      return { encoding: response.headers['content-encoding'], bytes: response.rawPayload }
    }
    const [plain, gzip, both, br] = [await ask('identity'), await ask('gzip'), await ask('br, gzip'), await ask('br')]
    const text = neutral(plain.bytes.toString())
    t.match(text, `For ${name}`)
    t.strictSame([plain.encoding, gzip.encoding, both.encoding, br.encoding], [undefined, 'gzip', 'gzip', 'br'])
    t.equal(neutral(gunzipSync(gzip.bytes).toString()), text)
    t.equal(neutral(gunzipSync(both.bytes).toString()), text)
    t.equal(neutral(brotliDecompressSync(br.bytes).toString()), text)
    t.ok(gzip.bytes.length < plain.bytes.length / 2)
  }
})

t.test('requests wait for one render of the shell, also in other forms', async (t) => {
  const { get } = await serve(t, dir, options)
  const asked = [
    get('/slow', visitor('Ann')),
    get('/slow', visitor('Bob')),
    get('/slow', { ...JSON_ONLY, 'x-user': 'Cid' }),
  ]
  await new Promise(setImmediate)
  while (!waits.slow1) await new Promise(setImmediate)
  waits.slow1('shared')
  const [ann, bob, cid] = await Promise.all(asked)
  t.equal(counts.slow, 1)
  t.match(ann?.body, /<h1>shared<\/h1>.*For Ann/s)
  t.match(bob?.body, /<h1>shared<\/h1>.*For Bob/s)
  t.strictSame(cid?.json(), { data: { text: 'shared' }, visitorData: { name: 'Cid', more: null } })
  t.strictSame([ann, bob, cid].map((each) => each?.headers['hydrant-cache']).sort(), ['hit', 'hit', 'miss'])
})

t.test('a shell that is invalidated while it is rendered is not stored', async (t) => {
  const { get, app } = await serve(t, dir, options)
  const before = counts.slow ?? 0
  const first = get('/slow', visitor('Ann'))
  while (!waits[`slow${before + 1}`]) await new Promise(setImmediate)
  await app.pageCache.invalidate({ tags: ['slow'] })
  waits[`slow${before + 1}`]?.('old')
  t.match((await first).body, /<h1>old<\/h1>.*For Ann/s)
  const second = get('/slow', visitor('Bob'))
  while (!waits[`slow${before + 2}`]) await new Promise(setImmediate)
  waits[`slow${before + 2}`]?.('new')
  t.match((await second).body, /<h1>new<\/h1>.*For Bob/s)
})

t.test('tags and paths remove shells', async (t) => {
  const { get, app } = await serve(t, dir, options)
  const run = async (id: string) => /run (\d+)/.exec((await get(`/products/${id}`, visitor('Ann'))).body)?.[1]
  const [first, other] = [await run('7'), await run('8')]
  t.equal(await run('7'), first)
  await app.pageCache.invalidate({ tags: ['product:7'] })
  t.not(await run('7'), first)
  t.equal(await run('8'), other)
  await app.pageCache.invalidate({ path: '/products/8' })
  t.not(await run('8'), other)
})

t.test('a stale shell is sent and rendered again; a failure keeps it and is recorded', async (t) => {
  const { get, log, app } = await serve(t, dir, options)
  t.equal((await get('/stale', visitor('Ann'))).headers['hydrant-cache'], 'miss')
  const visitors = counts.visitor ?? 0
  let asked = 1
  const second = await get('/stale', visitor('Bob'))
  t.equal(second.headers['hydrant-cache'], 'stale')
  t.match(second.body, /run 1.*For Bob/s)
  for (let body = second.body; /run 1\D/.test(body); asked++) body = (await get('/stale', visitor('Cid'))).body
  counts.staleFails = 1
  while (log.errors().length === 0) {
    asked++
    const { body, statusCode } = await get('/stale', visitor('Dora'))
    t.equal(statusCode, 200)
    t.match(body, /run [2-9].*For Dora/s)
  }
  t.equal((counts.visitor ?? 0) - visitors, asked, 'the visitor is not loaded for a shell')
  t.match(log.errors(), [{ err: { message: 'down' } }])
  counts.staleFails = 0
  await app.pageCache.clear()
  counts.staleFails = 1
  const failed = await get('/stale', visitor('Ann'))
  t.equal(failed.statusCode, 500)
  counts.staleFails = 0
})

t.test(
  'the failure of a shell that is rendered in the background is none of the visitor who gets the stale one',
  async (t) => {
    for (const agent of ['Googlebot/2.1', 'Mozilla/5.0']) {
      const { get, log } = await serve(t, dir, options)
      await get('/stale', visitor('Ann'))
      counts.staleFails = 1
      const pending = get('/stale', visitor('held', { 'user-agent': agent }))
      await until(() => log.errors().length > 0 && waits.visitor)
      waits.visitor?.()
      delete waits.visitor
      const { body, statusCode } = await pending
      counts.staleFails = 0
      t.equal(statusCode, 200)
      t.match(body, 'For held')
      t.notMatch(body, 'Application error')
    }
  },
)

t.test('a shell is rendered again while the parts of all visitors fail', async (t) => {
  const { get } = await serve(t, dir, options)
  t.match((await get('/lasting', visitor('Ann'))).body, 'run 1')
  let { body } = await get('/lasting', visitor('fails'))
  for (let asked = 0; asked < 200 && /run 1\D/.test(body); asked++) ({ body } = await get('/lasting', visitor('fails')))
  t.match(body, 'run 2')
})

t.test('the visitor who makes the server render the shell has the stores of the request, in each form', async (t) => {
  const { get } = await serve(t, dir, options)
  const crawler = await get('/told/1', { accept: 'text/html', 'user-agent': 'Googlebot/2.1', 'x-user': 'Ann' })
  t.match(crawler.body, /told undefined.*For Ann/s)
  const { data, visitorData } = (await get('/told/2', { ...JSON_ONLY, 'x-user': 'Bob' })).json()
  t.strictSame([data.text, visitorData.name], ['told undefined', 'Bob'])
})

t.test('a part of the visitor that fails keeps its fallback, and has its digest and line in the log', async (t) => {
  const { get, log } = await serve(t, dir, options)
  for (const run of ['miss', 'hit']) {
    const { body, statusCode, headers } = await get('/shop', visitor('fails'))
    t.equal(headers['hydrant-cache'], run)
    t.equal(statusCode, 200)
    t.match(body, '<i>Loading</i>')
    t.notMatch(body, /secret|For /)
    const line = log.errors().at(-1)
    t.match(line, { err: { message: 'secret reason' }, phase: 'stream', statusSent: 200 })
    t.match(JSON.stringify(line), 'pages/shop.server.ts:')
    t.match(split(body).rest, `[1,"failure","${line?.digest}"]`)
    t.match(split(body).rest, `"${line?.digest}")`, 'React marks the boundary')
  }
  t.equal(log.errors().length, 2)
  t.match((await get('/shop', visitor('refused'))).body, '[1,"refusal",403,"Not yours."]')
  t.equal(log.errors().length, 2)
})

t.test('promises inside of both kinds of data keep their numbers apart', async (t) => {
  const { get } = await serve(t, dir, options)
  const [first, second] = [await get('/deferred', visitor('Ann')), await get('/deferred', visitor('deep'))]
  t.strictSame(
    [first, second].map(({ headers }) => headers['hydrant-cache']),
    ['miss', 'hit'],
  )
  t.match(split(second.body).shell, /<p>inner 1<\/p>.*<h1>0<\/h1>/s)
  const ids = [...second.body.matchAll(/__hydrant\.push\(\[(\d+),"value"/g)].map(([, id]) => id)
  t.equal(new Set(ids).size, ids.length)
  t.equal(ids.length, 4)
  t.match(split(second.body).rest, 'For deep')
  t.match((await get('/shop', visitor('deep'))).body, /For deep.*deeper/s)
})

t.test('guards run before a stored shell is sent, and their context reaches the load of the visitor', async (t) => {
  const { get } = await serve(t, dir, options)
  t.match((await get('/member', visitor('Ann', { 'x-role': 'admin' }))).body, 'For Annadmin')
  const refused = await get('/member', visitor('Bob'))
  t.equal(refused.statusCode, 403)
  t.notMatch(refused.body, /run|For/)
  const hit = await get('/member', visitor('Cid', { 'x-role': 'user' }))
  t.equal(hit.headers['hydrant-cache'], 'hit')
  t.match(hit.body, 'For Ciduser')
})

t.test('a shared load that reads the visitor is not stored, with a warning', async (t) => {
  const { get, log } = await serve(t, dir, options)
  for (const name of ['Ann', 'Bob']) {
    const { body, headers } = await get('/personal', visitor(name))
    t.equal(headers['hydrant-cache'], 'pass')
    t.match(body, new RegExp(`shared ${name}.*For ${name}`, 's'))
  }
  const warned = warnings(log.lines)
  t.equal(warned.length, 1)
  t.match(warned[0]?.msg, /reads request at pages\/personal.server.ts:\d+:\d+\. .*"loadVisitor" or/)
})

t.test('the warning names the load of a layout that called the code which read the visitor', async (t) => {
  const { get, log } = await serve(t, dir, options)
  await get('/named', visitor('Ann'))
  const [warned] = warnings(log.lines)
  t.match(
    warned?.msg,
    /reads request at shop\/users\.server\.ts:2:48, called from pages\/named\/layout\.server\.ts:3:16\. /,
  )
  t.match(warned?.msg, 'a layout cannot have "loadVisitor"')
})

t.test('a page without a shell is rendered as usual, with a warning', async (t) => {
  const { get, log } = await serve(t, dir, options)
  t.match(await get('/outside', visitor('Ann')), { headers: { 'hydrant-cache': 'pass' }, body: /For Ann/ })
  t.match(await get('/outside', visitor('Bob')), { headers: { 'hydrant-cache': 'pass' }, body: /For Bob/ })
  t.match(
    warnings(log.lines).map(({ msg }) => msg),
    [/a component waits outside of <Suspense>/],
  )
})

t.test('a page that does not read the data of the visitor gets it in the browser', async (t) => {
  const { get } = await serve(t, dir, options)
  await get('/unread', visitor('Ann'))
  const { body, headers } = await get('/unread', visitor('Bob'))
  t.equal(headers['hydrant-cache'], 'hit')
  t.match(split(body).rest, /\[1,"value",\{"plain":\{"name":"Bob".*\[0,"end"\].*<\/body><\/html>$/s)
})

t.test('a shell with an error is not stored, and its failure is recorded once for each response', async (t) => {
  const { get, log } = await serve(t, dir, options)
  for (const runs of [1, 2]) {
    const { body, headers } = await get('/broken', visitor('Ann'))
    t.equal(headers['hydrant-cache'], 'pass')
    t.match(body, 'For Ann')
    t.equal(log.errors().length, runs)
  }
})

t.test('other forms, crawlers and pages without scripts get the whole page with the stored data', async (t) => {
  const { get, app } = await serve(t, dir, options)
  await get('/shop', visitor('Ann'))
  const loaded = counts.shop
  const crawler = await get('/shop', { accept: 'text/html', 'user-agent': 'Googlebot/2.1', 'x-user': 'Bob' })
  t.match(crawler.body, /<b>For Bob<\/b>/)
  t.notMatch(crawler.body, '<i>Loading</i>')
  t.strictSame((await get('/shop', { ...JSON_ONLY, 'x-user': 'Cid' })).json(), {
    data: { text: `run ${loaded}` },
    visitorData: { name: 'Cid', more: null },
  })
  t.match((await get('/shop', { accept: 'text/markdown', 'x-user': 'Dora' })).body, /run \d+.*For Dora/s)
  const head = await app.inject({ method: 'HEAD', url: '/shop', headers: visitor('Eve') })
  t.match(head, { statusCode: 200, body: '', headers: { 'hydrant-cache': 'hit', 'cache-control': /no-store/ } })
  const build = /"build":"([^"]+)"/.exec(crawler.body)?.[1] ?? ''
  const { body } = await get(`/shop?${NAVIGATION_MARK}`, {
    'x-user': 'Flo',
    [BUILD_HEADER]: build,
    [LAYOUTS_HEADER]: '',
  })
  t.match(body, `["data",1,{"plain":{"text":"run ${loaded}"}}]`)
  t.match(body, /\["data",2,.*\["settled",1,"value",\{"plain":\{"name":"Flo"/s)
  t.equal(counts.shop, loaded)
  const still = [await get('/still', visitor('Ann')), await get('/still', visitor('Bob'))]
  for (const [index, { body: document }] of still.entries()) {
    t.match(document, `<b>For ${['Ann', 'Bob'][index]}</b>`)
    t.notMatch(document, /<script|Loading/)
  }
  t.equal(still[1]?.headers['hydrant-cache'], 'hit')
  t.equal(counts.still, 1)
})

t.test('without a cache, the page is rendered for each request', async (t) => {
  const { get } = await serve(t, dir, { pageCache: { maxBytes: 0 } })
  const before = counts.shop ?? 0
  for (const name of ['Ann', 'Bob']) t.match((await get('/shop', visitor(name))).body, `For ${name}`)
  t.equal(counts.shop, before + 2)
})

t.test('a cookie of a hook goes to its visitor only', async (t) => {
  const { get } = await serve(t, dir, options)
  t.equal((await get('/shop', visitor('Ann', { 'x-cookie': '1' }))).headers['hydrant-cache'], 'pass')
  await get('/shop', visitor('Ann'))
  t.equal((await get('/shop', visitor('Bob', { 'x-cookie': '2' }))).headers['set-cookie'], 'a=2')
  t.equal((await get('/shop', visitor('Cid'))).headers['set-cookie'], undefined)
})

t.test('a full server refuses before the shell is sent', async (t) => {
  const { get } = await serve(t, dir, { ...options, limits: { maxRenders: 1 } })
  await get('/shop', visitor('Ann'))
  const held = get('/shop', visitor('held'))
  while (!waits.visitor) await new Promise(setImmediate)
  t.equal((await get('/shop', visitor('Bob'))).statusCode, 503)
  waits.visitor()
  t.match((await held).body, 'For held')
  t.match((await get('/shop', visitor('Bob'))).body, 'For Bob')
})

t.test('`loadVisitor` must be a function next to `cache`', async (t) => {
  for (const [page, message] of [
    [{ loadVisitor: 1, cache: { maxAgeS: 1 } }, /must be a function; got 1/],
    [{ loadVisitor: () => 1, cache: undefined }, /needs the export "cache"/],
  ] as const)
    await t.rejects(testSite(t, { '/': page }), { code: 'HYD_VISITOR_LOAD', message })
})

/** Returns a document with the nonces replaced, which differ in each response. */
const neutral = (text: string) => text.replaceAll(/nonce="[^"]*"/g, 'nonce')
const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const warnings = (lines: readonly LogLine[]) =>
  lines.filter((line) => 'code' in line && line.code === 'HYD_CACHE_PERSONAL')
