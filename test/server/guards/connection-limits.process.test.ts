// Over real sockets: requests that arrive too slowly or are too large.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { rewriteUrl } from '../../../src/server/http/request-url.ts'
import { hydrant } from '../../../src/server/plugin.ts'
import { countAnswers, listenRaw, parseRaw, rawRequest } from '../../attacks/raw.ts'
import { ERROR } from '../../site-server.ts'
import { until } from '../../until.ts'
import { buildFiles, createLog, HTML, serve } from '../served.ts'

const dir = await buildFiles(t.testdir({}), {
  'pages/form.tsx': 'export default function Page({ actionData }) {\n  return <p>{JSON.stringify(actionData)}</p>\n}\n',
  'pages/form.server.ts': 'export const action = ({ form }) => ({ fields: [...form.keys()].length })\n',
  'pages/begun.tsx':
    'import { Suspense, use } from \'react\'\nfunction Later({ promise }) { return use(promise) }\nexport default function Page({ data }) {\n  return <main><Suspense fallback="wait"><Later promise={data.later} /></Suspense></main>\n}\n',
  'pages/begun.server.ts': 'export const load = () => ({ later: new Promise(() => {}) })\n',
  'pages/named/[name].tsx':
    'export default function Page({ params }) {\n  return <p>{params.name.length} long</p>\n}\n',
  'pages/rest/[...path].tsx':
    'export default function Page({ params }) {\n  return <p>{params.path.length} long</p>\n}\n',
})

const VISITORS = 200

function checkRefusal(t: Test, answer: string, status: number) {
  const { status: own, headers, body } = parseRaw(answer)
  t.equal(own, status)
  t.ok(headers.includes('Connection: close'), 'closed')
  t.ok(headers.includes('Cache-Control: no-store'), 'not kept')
  t.ok(headers.includes('Content-Type: application/problem+json; charset=utf-8'))
  t.match(JSON.parse(body), { type: 'about:blank', status, title: String, detail: String })
}

t.test('clients that send their headers too slowly are all refused, with one log line', async (t) => {
  const { app, log } = await serve(t, dir, { timeouts: { headersMs: 3_000 } })
  const { send } = await listenRaw(t, app)
  const answers = await Promise.all(
    Array.from({ length: VISITORS }, (_, index) =>
      send(index % 2 === 0 ? 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ' : ''),
    ),
  )
  t.equal(answers.filter((answer) => answer.startsWith('HTTP/1.1 408 ')).length, VISITORS / 2)
  checkRefusal(t, answers[0] ?? '', 408)
  t.equal(
    answers.filter((answer) => answer === '').length,
    VISITORS / 2,
    'a client that has sent nothing gets no response',
  )
  const count = () => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)))
  await until(async () => (await count()) === 0)
  const lines = log.lines.filter(({ statusCode }) => statusCode === 408)
  t.equal(lines.length, 1, 'one line, at once')
  t.match(lines[0], { level: 30, refused: 1, reason: 'ERR_HTTP_REQUEST_TIMEOUT', remoteAddress: '127.0.0.1' })
})

t.test('clients that send a body too slowly are refused, whatever its type', async (t) => {
  const { app, log } = await serve(t, dir, { timeouts: { requestMs: 3_000 } })
  const { send } = await listenRaw(t, app)
  const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
  const bodies = ['{"a":', 'a=', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb']
  // The first body of a type loads its parser. A busy machine takes longer for that than the server waits for the body.
  for (const [index, rest] of ['1}', '1', '\r\n--x--\r\n'].entries()) {
    const headers = { 'content-type': types[index] }
    const { statusCode } = await app.inject({ method: 'POST', url: '/form', headers, payload: bodies[index] + rest })
    t.equal(statusCode, 200)
  }
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const headers = ['Host: localhost', `Content-Type: ${types[index % 3]}`, 'Content-Length: 1000', '', '']
      return send(['POST /form HTTP/1.1', ...headers].join('\r\n') + bodies[index % 3])
    }),
  )
  for (const answer of answers.slice(0, 3)) checkRefusal(t, answer, 408)
  t.equal(answers.filter((answer) => countAnswers(answer) === 1 && answer.startsWith('HTTP/1.1 408 ')).length, 60)
  t.equal(log.lines.filter(({ msg }) => msg.startsWith('refused with 408')).length, 1)
  t.strictSame(
    log.lines.filter(({ level }) => level >= ERROR),
    [],
    'no failure',
  )
  const late =
    'the connection was closed, because the body of the request did not arrive within 3000 ms ("timeouts.requestMs")'
  await until(() => log.lines.filter(({ msg }) => msg === late).length === 60)
  t.notOk(
    log.lines.some(({ msg }) => msg.startsWith('the client disconnected')),
    'the log does not blame the client',
  )
})

t.test('in an app, a body that does not arrive in time has a log line with the option of the app', async (t) => {
  const log = createLog()
  // Fastify has no option for the interval, which is 30 s.
  const limits = { requestTimeout: 100, connectionsCheckingInterval: 20 }
  const app = Fastify({ logger: log.logger, serverFactory: (handler) => createServer(limits, handler) })
  t.teardown(() => app.close())
  await app.register(hydrant, { dir, ledger: false })
  const { port, send } = await listenRaw(t, app)
  const head =
    'POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\na='
  t.match(await send(head), /^HTTP\/1.1 408 /)
  await until(() => log.lines.some(({ msg }) => msg.endsWith('did not arrive within 100 ms ("requestTimeout")')))
  connect(port, '127.0.0.1').end(head)
  await until(() => log.lines.some(({ msg }) => msg.startsWith('the client disconnected')))
})

t.test('connections beyond the limit are closed until others have ended', async (t) => {
  const { app, log } = await serve(t, dir, { limits: { maxConnections: 3 } })
  const { port, send } = await listenRaw(t, app)
  const open = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'))
  await Promise.all(open.map((socket) => once(socket, 'connect')))
  const ask = () => send(rawRequest('GET / HTTP/1.1', ['Host: localhost']))
  await until(async () => (await ask()) === '')
  await until(() => log.lines.length > 0)
  t.match(log.lines.at(-1), { level: 40, msg: /^closed 1 new connection, because 3 are open / })
  for (const socket of open) socket.destroy()
  await until(async () => (await ask()).startsWith('HTTP/1.1 200 '))
  t.equal(log.lines.filter(({ level }) => level > 30).length, 1)
})

t.test('an idle connection is closed', async (t) => {
  const { app } = await serve(t, dir, { timeouts: { keepAliveMs: 100 } })
  const { send } = await listenRaw(t, app)
  t.equal(parseRaw(await send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')).status, 200)
})

t.test('a request that is too large is refused before it reaches a route', async (t) => {
  const { app, log } = await serve(t, dir, { limits: { maxHeaderBytes: 12_000 } })
  const { send } = await listenRaw(t, app)
  const ask = (path: string, header: string) =>
    send(rawRequest(`GET ${path} HTTP/1.1`, ['Host: localhost', 'Accept: text/html', `X-Long: ${header}`]))
  checkRefusal(t, await ask('/', 'x'.repeat(12_000)), 431)
  checkRefusal(t, await ask(`/${'x'.repeat(12_000)}`, ''), 431)
  t.match(log.lines.at(-1), { level: 30, msg: /^refused with 431: .*"limits\.maxHeaderBytes"/ })
  t.equal(parseRaw(await ask('/', 'x'.repeat(11_000))).status, 200)

  for (const path of ['/named/', '/rest/', '/?', '/unknown/', '/_hydrant/assets/']) {
    const { status, headers, body } = parseRaw(await ask(path + 'x'.repeat(8_193 - path.length), ''))
    t.equal(status, 414, path)
    t.ok(headers.some((line) => /^x-request-id: /i.test(line)))
    t.ok(headers.includes('cache-control: no-store'))
    t.match(body, 'The address is longer than 8192 bytes.')
  }
  const line = log.lines.at(-1)
  t.match(line, { level: 30, statusCode: 414, msg: 'refused with 414: a URL of 8193 bytes' })
  t.ok(String(line?.url).length < 300, 'cut')
  for (const path of ['/named/', '/rest/']) {
    const { status, body } = parseRaw(await ask(path + 'x'.repeat(8_192 - path.length), ''))
    t.equal(status, 200)
    t.match(body, `${8_192 - path.length}<!-- --> long`, 'as long as its URL may be')
  }
})

t.test('a path with a segment "." or ".." is refused, however it is written', async (t) => {
  const { app, log } = await serve(t, dir)
  const { send } = await listenRaw(t, app)
  const ask = async (path: string) =>
    parseRaw(await send(rawRequest(`GET ${path} HTTP/1.1`, ['Host: localhost', 'Accept: text/html'])))
  for (const path of [
    '/rest/..',
    '/rest/%2e%2E/',
    '/rest/a/../b?c',
    '/rest/.%2e%2Fa',
    '/rest/a%2f..',
    '/rest/./a',
    '/..',
  ]) {
    const { status, headers, body } = await ask(path)
    t.equal(status, 400, path)
    t.ok(headers.includes('cache-control: no-store'))
    t.match(body, 'The address is malformed.')
    t.match(log.lines.at(-1), {
      level: 30,
      statusCode: 400,
      msg: 'refused with 400: the path has a segment "." or ".."',
    })
  }
  for (const path of ['/rest/...', '/rest/.well-known/..a', '/rest/a..', '/rest/a?b=/../c', '/rest/%252e%252e'])
    t.equal((await ask(path)).status, 200, path)
})

t.test('a request of HTTP/1.1 without Host is refused, with a body and a log line', async (t) => {
  const { app, log } = await serve(t, dir)
  const { send } = await listenRaw(t, app)
  const ask = async (version: string) => parseRaw(await send(rawRequest(`GET /rest/a ${version}`)))
  const { status, headers, body } = await ask('HTTP/1.1')
  t.equal(status, 400)
  t.ok(headers.includes('cache-control: no-store'))
  t.match(body, 'The request has no Host header.')
  t.match(log.lines.at(-1), { level: 30, statusCode: 400, msg: 'refused with 400: the request has no header "Host"' })
  t.equal((await ask('HTTP/1.0')).status, 200)
})

t.test('a request with several Host headers is refused, whatever its version and the forwarded headers', async (t) => {
  const { app, log } = await serve(t, dir, { trustProxy: 'loopback', hosts: ['shop.example'] })
  const own = Fastify({ rewriteUrl })
  t.teardown(() => own.close())
  await own.register(hydrant, { dir })
  const hosts = (...names: string[]) => names.map((name) => `Host: ${name}`)
  for (const { send } of [await listenRaw(t, app), await listenRaw(t, own)]) {
    const ask = async (version: string, headers: string[]) =>
      parseRaw(await send(rawRequest(`GET /rest/a ${version}`, headers)))
    for (const version of ['HTTP/1.0', 'HTTP/1.1']) {
      for (const names of [
        ['shop.example', 'evil.example'],
        ['shop.example', 'shop.example'],
        ['', 'shop.example'],
      ]) {
        const { status, headers, body } = await ask(version, ['X-Forwarded-Host: shop.example', ...hosts(...names)])
        t.equal(status, 400, `${version} ${names}`)
        t.ok(headers.includes('cache-control: no-store'))
        t.match(body, 'The request has several Host headers.')
      }
    }
    t.equal((await ask('HTTP/1.1', ['hOST: shop.example', 'X-Host: a', 'Hosts: b'])).status, 200)
  }
  t.strictSame(log.errors(), [])
  const msg = 'refused with 400: the request has several headers "Host"'
  t.equal(log.lines.filter((line) => line.msg === msg && line.statusCode === 400).length, 6, 'one log line each')
})

t.test('a malformed request is refused, and the refusal is never part of another response', async (t) => {
  const { app, log } = await serve(t, dir)
  const { port, send } = await listenRaw(t, app)
  checkRefusal(t, await send('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'), 400)
  t.match(log.lines.at(-1), { level: 30, statusCode: 400, reason: 'HPE_INVALID_METHOD' })
  for (let count = 0; count < 20; count++) await send('nonsense\r\n\r\n')
  t.equal(log.lines.filter(({ statusCode }) => statusCode === 400).length, 1, 'many of them cause one log line')

  // After the shell of a document has been sent.
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let answer = ''
  socket.on('data', (text: string) => {
    answer += text
    if (answer.includes('</main>')) socket.write('nonsense\r\n\r\n')
  })
  socket.write(
    `GET /begun HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nUser-Agent: ${HTML['user-agent']}\r\n\r\n`,
  )
  await once(socket, 'close')
  t.match(answer, /^HTTP\/1\.1 200 /)
  t.notMatch(answer, 'HTTP/1.1 400')
})
