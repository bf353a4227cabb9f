// Loads that send the response themselves, with `reply.send()` or `reply.redirect()`.

import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply, LightMyRequestResponse } from 'fastify'
import type { ReactNode } from 'react'
import t from 'tap'
import type { LoadContext } from '../../../src/server/index.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { linesOf, marked } from '../lines.ts'
import { HTML, JSON_ONLY } from '../served.ts'

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

const send = ({ url, reply }: LoadContext) => ways[String(url.searchParams.get('way'))]?.(reply)
const shortly = async ({ url }: LoadContext) => url.searchParams.has('later') && sleep(20)
const action = () => 'acted'

const site = {
  '/returned': {
    action,
    async load(ctx: LoadContext) {
      await shortly(ctx)
      return send(ctx)
    },
  },
  '/sent': {
    action,
    async load(ctx: LoadContext) {
      await shortly(ctx)
      send(ctx)
      return 'data'
    },
  },
  '/broken': {
    load(ctx: LoadContext) {
      send(ctx)
      throw new Error('after the response')
    },
  },
  '/cached': { cache: { maxAgeS: 60 }, load: ({ reply }: LoadContext) => reply.send({ raw: 1 }) },
  '/inside/layout': { Component: ({ children }: { children: ReactNode }) => <div>{children}</div>, load: send },
  '/inside/index': { load: () => 'data' },
}

async function server(app: FastifyInstance) {
  app.addHook('onSend', async ({ url }, _reply, payload) => {
    if (url.includes('slow')) await sleep(10)
    return payload
  })
}

const { app, get, log } = await testSite(t, site, { server, ledger: false, timeouts: { loadMs: LOAD_MS } })
const navigation: Record<string, string> = { ...HTML, ...navigationHeaders() }
const paths = ['/returned', '/sent'].flatMap((path) => ['', '&later', '&slow', '&later&slow'].map((q) => [path, q]))

/** Returns the warnings and errors since the last call. */
const warnings = () => log.lines.splice(0).filter(({ level }) => level >= 40)

t.test('a document request gets the response of the load, without a warning', async (t) => {
  const expected: Record<string, unknown[]> = {
    data: [200, '{"raw":1}', []],
    encoded: [200, 'raw', []],
    stream: [200, 'first second', []],
    redirect: [302, '', []],
    refused: [401, 'who are you?', []],
  }
  for (const [way, answer] of Object.entries(expected)) {
    const asked: ReturnType<typeof get>[] = []
    for (const [path, query] of paths) {
      const { length } = streams
      const response = get(`${path}?way=${way}${query}`)
      asked.push(response)
      // Streams end after the deadline, at the same time.
      await (way === 'stream' ? until(() => streams.length > length) : response)
    }
    const responses = await Promise.all(asked)
    const logged = warnings()
    for (const [index, { statusCode, body: text, rawPayload }] of responses.entries()) {
      const body = way === 'encoded' ? String(zlib.gunzipSync(rawPayload)) : text
      t.strictSame([statusCode, body, logged], answer, `${paths[index]?.join('')} ${way}`)
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
  t.match(warnings(), [{ level: 40, msg: /it reads reply\./ }])
})

function readLines({ headers, rawPayload }: LightMyRequestResponse) {
  const encoding = headers['content-encoding']
  const decode = encoding === 'br' ? zlib.brotliDecompressSync : encoding === 'gzip' ? zlib.gunzipSync : String
  return linesOf(String(decode(rawPayload)))
}

t.test('a navigation is told to load the document', async (t) => {
  const expected = {
    line: ['load'],
    location: undefined,
    build: navigation['hydrant-build'],
    type: 'application/x-ndjson; charset=utf-8',
    warnings: [],
  }
  for (const [path, query] of [...paths, ['/inside', '']]) {
    for (const way of Object.keys(ways)) {
      const sent: Record<string, unknown> = {}
      for (const encoding of ['br', 'gzip', 'identity']) {
        const url = marked(`${path}?way=${way}${query}`)
        const response = await app.inject({ url, headers: { ...navigation, 'accept-encoding': encoding } })
        const { statusCode, headers } = response
        sent[encoding] = {
          line: readLines(response).at(-1),
          location: headers.location,
          build: headers['hydrant-build'],
          type: headers['content-type'],
          warnings: warnings(),
          // One that may be sent is none of the others.
          ...(statusCode === 200 || (statusCode === 401 && way === 'refused') ? {} : { statusCode }),
        }
      }
      t.strictSame(sent, { br: expected, gzip: expected, identity: expected }, `${path} ${way}${query}`)
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
    const response = await app.inject({ method: 'POST', url, headers: { ...navigation, 'accept-encoding': 'br' } })
    const lines = readLines(response)
    t.strictSame(
      [response.statusCode, response.headers.location, lines[0]?.[0], lines.at(-1), warnings()],
      [200, undefined, 'acted', ['redirect', '/elsewhere'], []],
      `${path}${query}`,
    )
  }
})
