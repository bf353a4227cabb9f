// Attacks with bodies that are not what they claim to be: compressed bodies that expand without end (zip bombs),
// types that a guard reads differently than the parser (CVE-2025-32442 and CVE-2026-25223 of Fastify: a capital, a
// space or a tab bypassed the schema), and forms sent as other types.

import { Readable } from 'node:stream'
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { ActionContext } from '../../src/server/index.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'

const site = {
  '/echo': {
    action: ({ form, request }: ActionContext) => ({
      form: [...form],
      body: request.body instanceof FormData ? null : (request.body ?? null),
    }),
  },
}
async function server(app: FastifyInstance) {
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.headers['x-expand'] === undefined) return payload
    const chunks: Buffer[] = []
    for await (const chunk of payload) chunks.push(chunk)
    const received = Buffer.concat(chunks)
    return Object.assign(Readable.from([gunzipSync(received)]), { receivedEncodedLength: received.length })
  })
}

const FORM = 'application/x-www-form-urlencoded'
const REPORT = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }

t.test('a compressed body is neither expanded nor read as another type', async (t) => {
  const { app, log } = await testSite(t, site, { server, ledger: false })
  const bomb = Buffer.alloc(20_000_000, 'a=1&')
  const packed = {
    gzip: gzipSync(bomb),
    deflate: deflateSync(bomb),
    'x-gzip': deflateRawSync(bomb),
    br: brotliCompressSync(bomb),
  }
  const taken: string[] = []
  for (const [encoding, payload] of Object.entries({
    ...packed,
    'gzip, gzip': gzipSync(packed.gzip),
    'identity, gzip': packed.gzip,
    GZIP: packed.gzip,
    zstd: Buffer.from('x'),
    '*': Buffer.from('x'),
  })) {
    for (const type of [
      FORM,
      'application/json',
      'multipart/form-data; boundary=b',
      'text/plain',
      'application/octet-stream',
    ]) {
      for (const url of ['/echo', '/echo?_hydrant', '/_hydrant/report']) {
        const headers = {
          ...HTML,
          ...REPORT,
          ...navigationHeaders(),
          'content-type': type,
          'content-encoding': encoding,
        }
        const { statusCode, headers: answered } = await app.inject({ method: 'POST', url, headers, payload })
        const isRefused = statusCode === 415 && answered['accept-encoding'] === 'identity'
        if (!isRefused || !String(answered['cache-control']).endsWith('no-store'))
          taken.push(`${url} ${type} ${encoding}: ${statusCode} ${JSON.stringify(answered)}`)
      }
    }
  }
  t.strictSame(taken, [])
  t.strictSame(log.errors(), [])
  for (const encoding of ['identity', 'Identity', '']) {
    const headers = { ...JSON_ONLY, 'content-type': FORM, 'content-encoding': encoding }
    const response = await app.inject({ method: 'POST', url: '/echo', headers, payload: 'a=1' })
    t.strictSame(response.json(), { form: [['a', '1']], body: null }, encoding)
  }
  const headers = { ...JSON_ONLY, 'content-type': FORM, 'content-encoding': 'gzip', 'x-expand': '1' }
  const expanded = await app.inject({ method: 'POST', url: '/echo', headers, payload: gzipSync('a=1') })
  t.strictSame(expanded.json(), { form: [['a', '1']], body: null }, 'what a plugin expands is read')
})

t.test('an unusual spelling of a type is read as that type, or refused', async (t) => {
  const { app, log } = await testSite(t, site, { server, ledger: false })
  const seen: [type: string, body: unknown][] = []
  const others: string[] = []
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json ; charset=utf-8',
    'application/json\t; charset=utf-8',
    'application/json;charset=utf-16',
    ' application/json',
    'application/json;',
    'application/json;application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json, text/plain',
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded, application/json',
    'application/json+x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="',
    `multipart/form-data; boundary=${'b'.repeat(5_000)}`,
    'multipart/form-data; boundary=a; boundary=b',
    "multipart/form-data; boundary*=utf-8''%00",
    'multipart/mixed; boundary=b',
    '/',
    ';',
    '*/*',
    'constructor',
    '__proto__',
    'application/__proto__',
  ]) {
    for (const payload of ['{"a":1}', '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n']) {
      const headers = { ...JSON_ONLY, 'content-type': type }
      const response = await app.inject({ method: 'POST', url: '/echo', headers, payload })
      const { statusCode } = response
      const isKept = statusCode !== 200 && response.headers['cache-control'] !== 'no-store'
      if (![200, 400, 415].includes(statusCode) || isKept) others.push(`${type}: ${statusCode}`)
      if (statusCode === 200 && payload.startsWith('{')) seen.push([type, response.json().body])
    }
  }
  t.strictSame(others, [])
  t.strictSame(
    seen,
    seen.map(([type]) => {
      const isJson = /^application\/json\s*(?:;|$)/i.test(type.trim())
      const isText = /^text\/plain\s*(?:;|$)/i.test(type)
      return [type, isJson ? { a: 1 } : isText ? '{"a":1}' : null]
    }),
  )
  t.strictSame(log.errors(), [])
})
