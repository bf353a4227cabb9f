// Loads that send the response themselves, with `reply.send()` or `reply.redirect()`.

import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import type { FastifyReply, LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { linesOf, marked, navigationHeaders } from '../lines.ts'
import { buildFiles, HTML, JSON_ONLY, serve } from '../served.ts'

const LOAD_MS = 200
const streams: Readable[] = []

/** Returns a stream that ends after the deadline of the loads. */
function slowStream(): Readable {
  async function* write() {
    yield 'first '
    await sleep(2 * LOAD_MS)
    yield 'second'
  }
  const stream = Readable.from(write())
  streams.push(stream)
  return stream
}

const ways: Record<string, (reply: FastifyReply) => FastifyReply> = {
  data: (reply) => reply.send({ raw: 1 }),
  encoded: (reply) => reply.header('content-encoding', 'gzip').send(zlib.gzipSync('raw')),
  stream: (reply) => reply.type('text/plain').send(slowStream()),
  redirect: (reply) => reply.redirect('/elsewhere'),
  refused: (reply) => reply.code(401).send('who are you?'),
}
Object.assign(globalThis, { hydrantWays: ways })

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
const send = "globalThis.hydrantWays[ctx.url.searchParams.get('way')](ctx.reply)"
const shortly = "if (ctx.url.searchParams.has('later')) await new Promise((resolve) => setTimeout(resolve, 20))"
const action = "export const action = () => 'acted'\n"
const dir = await buildFiles(t.testdir({}), {
  'pages/returned.tsx': page,
  'pages/returned.server.ts': `${action}export const load = async (ctx) => {\n  ${shortly}\n  return ${send}\n}\n`,
  'pages/sent.tsx': page,
  'pages/sent.server.ts': `${action}export const load = async (ctx) => {\n  ${shortly}\n  ${send}\n  return 'data'\n}\n`,
  'pages/broken.tsx': page,
  'pages/broken.server.ts': `export const load = (ctx) => {\n  ${send}\n  throw new Error('after the response')\n}\n`,
  'pages/cached.tsx': page,
  'pages/cached.server.ts': `export const cache = { maxAgeS: 60 }\nexport const load = (ctx) => ctx.reply.send({ raw: 1 })\n`,
  'pages/inside/layout.tsx': 'export default function Layout({ children }) {\n  return <div>{children}</div>\n}\n',
  'pages/inside/layout.server.ts': `export const load = (ctx) => ${send}\n`,
  'pages/inside/index.tsx': page,
  'pages/inside/index.server.ts': "export const load = () => 'data'\n",
  'server.ts': `export default async (app) => {
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.url.includes('slow')) await new Promise((resolve) => setTimeout(resolve, 10))
    return payload
  })
}
`,
})
const { app, get, log } = await serve(t, dir, { ledger: false, timeouts: { loadMs: LOAD_MS } })
const navigation: Record<string, string> = { ...HTML, ...navigationHeaders(dir) }
const paths = ['/returned', '/sent'].flatMap((path) => ['', '&later', '&slow', '&later&slow'].map((q) => [path, q]))

/** Returns the warnings and errors since the last call. */
const warnings = () => log.lines.splice(0).filter(({ level }) => level >= 40)

t.test('a document request gets the response of the load, without a warning', async (t) => {
  for (const [path, query] of paths) {
    for (const way of Object.keys(ways)) {
      const title = `${path} ${way}${query}`
      const response = await get(`${path}?way=${way}${query}`)
      const body = way === 'encoded' ? String(zlib.gunzipSync(response.rawPayload)) : response.body
      const texts = { data: '{"raw":1}', encoded: 'raw', stream: 'first second', redirect: '', refused: 'who are you?' }
      t.equal(body, Reflect.get(texts, way), title)
      t.equal(response.statusCode, { redirect: 302, refused: 401 }[way] ?? 200, title)
      t.strictSame(warnings(), [], title)
    }
  }
})

t.test('so do the other formats, a form, and a page inside of such a layout', async (t) => {
  t.equal((await get('/returned?way=data', JSON_ONLY)).body, '{"raw":1}')
  t.equal((await get('/returned?way=data', { accept: 'text/markdown' })).body, '{"raw":1}')
  t.equal((await app.inject({ method: 'POST', url: '/returned?way=data', headers: HTML })).body, '{"raw":1}')
  t.equal((await get('/inside?way=data')).body, '{"raw":1}')
  t.strictSame(warnings(), [])
})

t.test('a failure of the load after the response is recorded', async (t) => {
  t.equal((await get('/broken?way=data')).body, '{"raw":1}')
  t.match(warnings(), [{ level: 50, err: { message: 'after the response' } }])
})

t.test('such a page is not stored, and the log says why', async (t) => {
  for (const _ of [1, 2]) t.equal((await get('/cached')).body, '{"raw":1}')
  t.match(warnings(), [{ level: 40, msg: /reply\.send/ }])
})

function readLines({ headers, rawPayload }: LightMyRequestResponse) {
  const encoding = headers['content-encoding']
  const decode = encoding === 'br' ? zlib.brotliDecompressSync : encoding === 'gzip' ? zlib.gunzipSync : String
  return linesOf(String(decode(rawPayload)))
}

t.test('a navigation is told to load the document', async (t) => {
  for (const [path, query] of [...paths, ['/inside', '']]) {
    for (const way of Object.keys(ways)) {
      for (const encoding of ['br', 'gzip', 'identity']) {
        const title = `${path} ${way}${query} ${encoding}`
        const url = marked(`${path}?way=${way}${query}`)
        const response = await app.inject({ url, headers: { ...navigation, 'accept-encoding': encoding } })
        t.strictSame(readLines(response).at(-1), ['load'], title)
        t.notOk('location' in response.headers, title)
        t.equal(response.headers['hydrant-build'], navigation['hydrant-build'], title)
        t.equal(response.headers['content-type'], 'application/x-ndjson; charset=utf-8', title)
        const statuses = way === 'refused' ? [200, 401] : [200]
        t.ok(statuses.includes(response.statusCode), `${title}: ${response.statusCode}`)
        t.strictSame(warnings(), [], title)
      }
    }
  }
  t.ok(
    streams.every(({ destroyed }) => destroyed),
    'a stream that is not sent is closed',
  )
})

t.test('after a form, a redirect of a load is followed', async (t) => {
  for (const [path, query] of paths) {
    const url = marked(`${path}?way=redirect${query}`)
    const headers = { ...navigation, 'accept-encoding': 'br' }
    const response = await app.inject({ method: 'POST', url, headers })
    const lines = readLines(response)
    t.match([lines[0], lines.at(-1)], [['acted'], ['redirect', '/elsewhere']], `${path}${query}`)
    t.notOk('location' in response.headers)
    t.equal(response.statusCode, 200)
    t.strictSame(warnings(), [])
  }
})
