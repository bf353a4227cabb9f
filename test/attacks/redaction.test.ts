// Attacks on the removal of secrets from the log: with the redactor's own words, which let one request block the
// process for a minute and fill the disk (CWE-407, CWE-400), and in places that it does not search (CWE-532).

import Fastify, { type FastifyRequest } from 'fastify'
import t from 'tap'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { type ActionContext, HttpError, type LoadContext } from '../../src/server/index.ts'
import { hydrant } from '../../src/server/plugin.ts'
import { findFailing } from '../find-failing.ts'
import { serve } from '../server/served.ts'
import { createRandom } from '../shared/random.ts'
import { writeTestSite } from '../test-site.ts'
import { until } from '../until.ts'
import { startCounting } from '../work.ts'
import { listenRaw, parseRaw, rawRequest } from './raw.ts'

const said = (request: FastifyRequest) => request.originalUrl + JSON.stringify(request.headers)
function fail(text: string) {
  const cause = new AggregateError([new TypeError(text)], text)
  throw Object.assign(new Error(text, { cause }), { name: text, digest: text })
}
function refuse({ request }: LoadContext) {
  const body = request.body instanceof FormData ? [...request.body] : request.body
  throw new HttpError(403, JSON.stringify([request.headers, body]))
}
const dir = writeTestSite(t.testdir({}), {
  '/fails': {
    load: ({ request }: LoadContext) => fail(said(request)),
    action: ({ request, form }: ActionContext) =>
      fail(JSON.stringify(request.body instanceof FormData ? [...form] : request.body) + said(request)),
  },
  '/refuses': { load: refuse, action: refuse },
})

interface Sent {
  /** The secrets or hostile words of the requests, in each place that can contain them. */
  query: string
  headers: readonly string[]
  fields: Record<string, string>
  /** Header lines that the log shows when they are refused. */
  refused: string
}

/** Returns requests for each line that the server writes. */
function requests({ query, headers, fields, refused }: Sent): string[] {
  const own = ['Host: shop.example', ...headers]
  const target = (path: string) => `${path}?${query}`
  const post = (path: string, type: string, body: string, ...more: string[]) =>
    rawRequest(
      `POST ${path} HTTP/1.1`,
      [...own, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...more],
      Buffer.from(body).toString('latin1'),
    )
  const browser = ['Origin: http://shop.example', 'Sec-Fetch-Site: same-origin']
  const text = Object.values(fields).join(' ')
  const error = {
    type: text.slice(0, 90),
    message: text.slice(0, 2_000),
    stack: `E\n    at ${text.slice(0, 900)} (x:1:2)`,
  }
  const report = { kind: 'failure', build: 'x', path: target('/fails').slice(0, 2_000), isRecovered: false, error }
  const boundary = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${value}"\r\n\r\n${value}\r\n`,
  )
  return [
    ...['/fails', '/refuses', '/nowhere', '/fails/', '/%zz', `/_hydrant/assets/${encodeURIComponent(refused)}`].map(
      (path) => rawRequest(`GET ${target(path)} HTTP/1.1`, [...own, 'Accept: application/json']),
    ),
    rawRequest(`PUT ${target('/nowhere')} HTTP/1.1`, own),
    rawRequest(`GET ${target('/nowhere')}${'x'.repeat(8_192)} HTTP/1.1`, [
      'Host: shop.example',
      ...headers.slice(0, 1),
    ]),
    rawRequest(`GET ${target('/fails')} HTTP/1.1`, ['Host: other.example', ...headers]),
    rawRequest(`GET ${target('/fails')} HTTP/1.1`, [`Host: ${refused}`, ...headers]),
    post(target('/fails'), 'text/plain', text, 'Sec-Fetch-Site: cross-site', `Origin: ${refused}`),
    post(target('/fails'), 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString()),
    post(target('/refuses'), 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString()),
    post(target('/fails'), 'application/json', JSON.stringify(fields)),
    post(target('/refuses'), 'application/json', JSON.stringify([[fields]])),
    post(target('/fails'), 'text/plain', text),
    post(target('/fails'), 'multipart/form-data; boundary=b', `${boundary.join('')}--b--\r\n`),
    post(target('/_hydrant/report'), 'application/json', JSON.stringify(report), ...browser),
    post(target('/_hydrant/report'), 'application/json', JSON.stringify({ ...report, [text]: 1 }), ...browser),
  ]
}

async function listen(t: Parameters<typeof serve>[0]) {
  const kept: FailureRecord[] = []
  const written = { bytes: 0, text: '' }
  const stream = {
    write(line: string) {
      written.bytes += Buffer.byteLength(line)
      written.text += line
    },
  }
  const onFailure = (failure: FailureRecord) => void kept.push(failure)
  const { app } = await serve(t, dir, {
    ledger: false,
    logRequests: true,
    hosts: ['shop.example'],
    onFailure,
    logger: { level: 'info', stream },
  })
  return { kept, written, server: await listenRaw(t, app) }
}

const HIDDEN = '[hidden]'
/** Returns nested words of the redactor's own. */
function ownWords(count: number): string[] {
  const random = createRandom(7)
  const words = new Set<string>(['[hidden]', 'hidden', 'bearer', 'aaaaaa'])
  while (words.size < count) {
    let text = HIDDEN
    for (let depth = 0; depth < 3; depth++) {
      const at = random.below(text.length)
      text = text.slice(0, at) + HIDDEN + text.slice(at + random.below(3))
    }
    const from = random.below(text.length - 7)
    words.add(text.slice(from, from + 6 + random.below(2)))
  }
  return [...words]
}

const HOSTILE: Record<string, Sent> = Object.fromEntries(
  Object.entries({
    'words of its own': ownWords(900),
    'the letter a': Array.from({ length: 100 }, (_, n) => 'a'.repeat(6 + n)),
    'many different ones': Array.from({ length: 900 }, (_, n) => `x${10_000 + n}`),
    'beginnings of secrets': ['://a:', 'bearer bearer', '?token=?token=', '%3Ftoken%3D', '&code=&', ':@:@:@'],
  }).map(([name, words]): [string, Sent] => [
    name,
    {
      query: words
        .join('')
        .replace(/[^!-~]/g, '')
        .repeat(9)
        .slice(0, 5_000),
      headers: [`Cookie: ${words.join(';').slice(0, 8_000)}`, `Authorization: Bearer ${words[0]}`],
      fields: Object.fromEntries(words.map((word, n) => [`f${n}`, word])),
      refused: words
        .join('')
        .replace(/[^!-~]/g, '')
        .slice(0, 300),
    },
  ]),
)

t.test('no request costs or writes more than a small multiple of its size', async (t) => {
  const { written, server } = await listen(t)
  const sent = Object.values(HOSTILE).flatMap(requests)
  const failing = await findFailing(sent, async (request) => {
    written.bytes = 0
    const { status } = parseRaw(await server.send(request))
    const isFine = status >= 204 && status <= 500 && written.bytes < 3 * request.length + 30_000
    return isFine ? undefined : { status, bytesOfLog: written.bytes, bytesOfRequest: request.length }
  })
  t.strictSame(failing, [])
})

t.test('the work for a request is linear in its size', async (t) => {
  const { app } = await serve(t, dir, { ledger: false, logger: { level: 'info', stream: { write() {} } } })
  const ask = async (count: number) => {
    const cookie = ownWords(count).join(';')
    const stop = startCounting()
    try {
      await app.inject({ url: `/nowhere?${HIDDEN.repeat(count / 2)}`, headers: { cookie } })
    } finally {
      stop()
    }
    return stop()
  }
  await ask(100)
  const [few, many] = [await ask(200), await ask(800)]
  t.ok(many < 6 * few, `${many} steps for four times of what took ${few}`)
})

t.test('no secret of a request is logged or kept, wherever it is', async (t) => {
  const { kept, written, server } = await listen(t)
  const random = createRandom(11)
  const secret = (length: number) => `zq${random.text(length, 'bcdfghjkm23456789')}`
  const values = Array.from({ length: 16 }, (_, n) => secret(6 + n * n))
  const [cookie, quoted, bearer, key, token, nested, inner, user, password, field, card, file, ...more] = values
  const [encoded, otp, deep, semicolon] = more
  const basic = Buffer.from(`${user}:${password}`).toString('base64')
  const sent: Sent = {
    query: `%61pi%5Fkey=${encoded}&o%74p=${otp}&go=%2Fa%253F%74oken%253D${deep}&user.token=x;${semicolon}&api_key=${token}&next=/a?session=${nested}&to=%2Fb%3Fx%3D1%26user%5Bpassword%5D%3D${inner}&url=db://${user}:${password}@h`,
    headers: [`Cookie: a=${cookie}; b="${quoted}"`, `Authorization: Bearer ${bearer}`, `X-Api-Key: ${key}`],
    fields: { text: `${field}`, card: `${card}`, file: `${file}` },
    refused: `http://x@${cookie}`,
  }
  const withBasic = { ...sent, headers: [...sent.headers.slice(0, 1), `Proxy-Authorization: Basic ${basic}`] }
  for (const request of [...requests(sent), ...requests(withBasic)]) {
    // Reports are about another page: the contents of their fields are not secrets of the request.
    if (request.includes('/_hydrant/report')) continue
    await server.send(request)
  }
  t.ok(written.text.split('\n').length > 40, 'lines')
  t.ok(kept.length >= 10, 'failures')
  const told = written.text + JSON.stringify(kept)
  t.strictSame(
    values.filter((value) => told.includes(value)),
    [],
  )
})

t.test('an app that takes request ids from a header keeps them short and without secrets', async (t) => {
  const kept: FailureRecord[] = []
  const app = Fastify({ requestIdHeader: 'x-request-id' })
  t.teardown(() => app.close())
  await app.register(hydrant, { dir, ledger: false, onFailure: (failure) => void kept.push(failure) })
  const headers = { cookie: 'a=zqsecret', 'x-request-id': `of zqsecret ${'x'.repeat(8_000)}` }
  await app.inject({ url: '/fails', headers })
  await until(() => kept[0])
  t.match(kept, [{ requestId: /^of \[hidden\] x{188}…$/ }])
})
