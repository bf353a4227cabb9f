// Attacks that make two servers disagree on the end of a request, so that the rest of one becomes another visitor's
// (request smuggling): CVE-2022-32213, CVE-2022-32214 and CVE-2022-35256 of Node.js, with Transfer-Encoding, line
// ends and folded headers; CVE-2021-22959, with a space before a header's colon; CVE-2024-27982, with hidden lengths;
// CVE-2024-22019, with endless chunk extensions.

import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { ActionContext } from '../../src/server/index.ts'
import { testSite } from '../test-site.ts'
import { countAnswers, listenRaw, parseRaw } from './raw.ts'

const site = {
  '/': {},
  '/act': {
    Component: ({ actionData }: { actionData: unknown }) => <output>{JSON.stringify(actionData)}</output>,
    action: ({ form }: ActionContext) => ({ form: [...form] }),
  },
}
const asked: string[] = []
async function server(app: FastifyInstance) {
  app.addHook('onRequest', async ({ url }) => void asked.push(url))
}

const FORM = 'Content-Type: application/x-www-form-urlencoded'
/** The smuggled request. It closes the connection, so a response to it ends the test. */
const INNER = 'GET /smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const post = (headers: readonly string[], body: string) =>
  `POST /act HTTP/1.1\r\nHost: a\r\n${FORM}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const TE = 'Transfer-Encoding: chunked'

/** Requests that must be refused completely. */
const REFUSED: Record<string, string> = {
  'a length and chunks': post(['Content-Length: 5', TE], `0\r\n\r\n${INNER}`),
  'chunks and a length': post([TE, 'Content-Length: 5'], `0\r\n\r\n${INNER}`),
  'two lengths': post(['Content-Length: 0', `Content-Length: ${INNER.length}`], INNER),
  'two lengths in one': post([`Content-Length: 0, ${INNER.length}`], INNER),
  'a length with a sign': post(['Content-Length: +3'], `a=1${INNER}`),
  'a negative length': post(['Content-Length: -1'], `a=1${INNER}`),
  'a length in hexadecimal': post(['Content-Length: 0x3'], `a=1${INNER}`),
  'a length with an exponent': post(['Content-Length: 3e0'], `a=1${INNER}`),
  'a length that overflows': post(['Content-Length: 18446744073709551619'], `a=1${INNER}`),
  'a length with a space inside': post(['Content-Length: 3 0'], `a=1${INNER}`),
  'a space before the colon': post(['Content-Length : 3'], `a=1${INNER}`),
  'a tab before the colon': post(['Transfer-Encoding\t: chunked'], `0\r\n\r\n${INNER}`),
  'a header that begins with a space': `POST /act HTTP/1.1\r\n Transfer-Encoding: chunked\r\nHost: a\r\n\r\n0\r\n\r\n${INNER}`,
  'chunks that are not the last encoding': post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${INNER}`),
  'an encoding nobody knows': post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${INNER}`),
  'an encoding in quotes': post(['Transfer-Encoding: "chunked"'], `0\r\n\r\n${INNER}`),
  'a control character behind the encoding': post(['Transfer-Encoding: chunked\u000b'], `0\r\n\r\n${INNER}`),
  'an encoding and a length, each alone harmless': post(
    ['Content-Length: 3', 'Transfer-Encoding: identity'],
    `a=1${INNER}`,
  ),
  'a line that ends with LF alone': `POST /act HTTP/1.1\nHost: a\nContent-Length: 3\n\na=1${INNER}`,
  'a header that ends with LF alone': `POST /act HTTP/1.1\r\nHost: a\r\nX: y\nContent-Length: 3\r\n\r\na=1${INNER}`,
  'a header that ends with CR alone': `POST /act HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 3\r\n\r\na=1${INNER}`,
  'NUL in a header': post(['X: a\0b', 'Content-Length: 3'], `a=1${INNER}`),
  'a size of a chunk with a sign': post([TE], `+3\r\na=1\r\n0\r\n\r\n${INNER}`),
  'a size of a chunk in 0x': post([TE], `0x3\r\na=1\r\n0\r\n\r\n${INNER}`),
  'a size of a chunk that overflows': post([TE], `10000000000000003\r\na=1\r\n0\r\n\r\n${INNER}`),
  'a chunk that ends with LF alone': post([TE], `3\na=1\n0\n\n${INNER}`),
  'a chunk that is longer than it says': post([TE], `2\r\na=1\r\n0\r\n\r\n${INNER}`),
  'an extension with LF': post([TE], `3;\n${INNER}a=1\r\n0\r\n\r\n`),
  'a length behind the chunks': post([TE], `3\r\na=1\r\n0\r\nContent-Length: 99\r\n\r\n${INNER}`),
  'an extension without end': post([TE], `3;${'x'.repeat(40_000)}\r\na=1\r\n0\r\n\r\n${INNER}`),
  'no version': `GET /act\r\n\r\n${INNER}`,
  'a version nobody knows': `GET /act HTTP/9.9\r\nHost: a\r\n\r\n${INNER}`,
  'the preface of HTTP/2': `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${INNER}`,
  'a method in small letters': `get /act HTTP/1.1\r\nHost: a\r\n\r\n${INNER}`,
  'a space in the target': `GET /act HTTP/1.1 x HTTP/1.1\r\nHost: a\r\n\r\n${INNER}`,
}

t.test('a request whose end is ambiguous is refused, and nothing after it is read', async (t) => {
  const { app, log } = await testSite(t, site, { server, ledger: false })
  const { send } = await listenRaw(t, app)
  const read: Record<string, unknown> = {}
  for (const [name, bytes] of Object.entries(REFUSED)) {
    asked.length = 0
    const answer = await send(bytes)
    const isRefused = parseRaw(answer).status === 400 && countAnswers(answer) === 1
    if (!isRefused || asked.includes('/smuggled') || !/^Connection: close\r$/m.test(answer))
      read[name] = { asked: [...asked], answer }
  }
  t.strictSame(read, {})
  t.strictSame(log.errors(), [])
})

t.test('a well-formed request ends where it says', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false })
  const { send } = await listenRaw(t, app)
  for (const [name, bytes] of Object.entries({
    'a length': post(['Content-Length: 3'], `a=1${INNER}`),
    chunks: post([TE], `${chunk('a=')}${chunk('1')}0\r\n\r\n${INNER}`),
    'chunks with extensions': post([TE], `3;a=b\r\na=1\r\n0;c\r\n\r\n${INNER}`),
    'chunks with trailers': post([TE], `3\r\na=1\r\n0\r\nX-Trailer: 99\r\nHydrant-Build: x\r\n\r\n${INNER}`),
    'capitals in the encoding': post(['transfer-ENCODING: ChunKed'], `3\r\na=1\r\n0\r\n\r\n${INNER}`),
  })) {
    asked.length = 0
    const answer = await send(bytes)
    t.strictSame(asked, ['/act', '/smuggled'], name)
    t.equal(countAnswers(answer), 2, name)
    t.match(answer, '[[&quot;a&quot;,&quot;1&quot;]]', `${name}: the form is whole`)
  }
})

t.test('a body that is not read does not become the next request', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false })
  const { send } = await listenRaw(t, app)
  for (const [path, headers] of [
    // Refused before its body is read.
    ['/nowhere', []],
    ['/', []],
    ['/act', ['Sec-Fetch-Site: cross-site']],
    ['/act', ['Content-Encoding: gzip']],
    ['/_hydrant/report', []],
    ['/nowhere?_hydrant', []],
    ['/act?_hydrant', ['hydrant-build: another']],
  ] as const) {
    asked.length = 0
    const lines = [...headers, `Content-Length: ${INNER.length}`].map((line) => `${line}\r\n`).join('')
    const bytes = `POST ${path} HTTP/1.1\r\nHost: a\r\n${FORM}\r\n${lines}\r\n${INNER}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    const answer = await send(bytes)
    t.notOk(asked.includes('/smuggled'), path)
    t.ok(countAnswers(answer) <= 2, path)
  }
})

t.test('a refused upgrade does not leave the protocol', async (t) => {
  const { app } = await testSite(t, site, { server, ledger: false })
  const { send } = await listenRaw(t, app)
  for (const upgrade of ['h2c', 'websocket', 'TLS/1.0', 'HTTP/2.0, h2c']) {
    asked.length = 0
    const answer = await send(
      `GET /act HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: ${upgrade}\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n${INNER}`,
    )
    t.not(parseRaw(answer).status, 101, upgrade)
    t.notOk(asked.includes('/smuggled'), upgrade)
  }
  t.notMatch(await send(`CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n${INNER}`), /^HTTP\/1.1 2/)
})
