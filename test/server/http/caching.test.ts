// Caching limits are enforced, whatever code sets the headers.

import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { allowsSomeCache, guardCaching } from '../../../src/server/http/caching.ts'
import { findFailing } from '../../find-failing.ts'

/** Returns the headers that a client receives. */
async function headersOf(
  write: (response: ServerResponse) => void,
  before: (response: ServerResponse) => void = () => {},
): Promise<IncomingMessage['headers']> {
  const server = createServer((_request, response) => {
    before(response)
    guardCaching(response)
    write(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [response] = (await once(httpRequest({ port, host: '127.0.0.1', agent: false }).end(), 'response')) as [
    IncomingMessage,
  ]
  response.resume()
  await once(response, 'end')
  server.close()
  return response.headers
}

const PUBLIC = 'public, max-age=60, s-maxage=600'
const COOKIE = 'session=of-alice'

t.test('a response with a cookie is private, in whatever form Node.js gets its headers', async (t) => {
  const forms: Record<string, (response: ServerResponse) => void> = {
    'an object': (response) => response.writeHead(200, { 'Cache-Control': PUBLIC, 'Set-Cookie': COOKIE }).end(),
    'an object behind a reason': (response) =>
      response.writeHead(200, 'Fine', { 'cache-control': PUBLIC, 'set-cookie': [COOKIE, 'b=c'] }).end(),
    'a flat list': (response) =>
      response.writeHead(200, ['Cache-Control', PUBLIC, 'SET-COOKIE', COOKIE, 'X', '1', 'X', '2']).end(),
    pairs: (response) =>
      // Node's types have only the flat list.
      response
        .writeHead(200, [
          ['cache-control', PUBLIC],
          ['set-cookie', COOKIE],
        ] as unknown as string[])
        .end(),
    'set before': (response) => {
      response.setHeader('Set-Cookie', COOKIE).setHeader('Cache-Control', PUBLIC)
      response.end('x')
    },
    'set in part before': (response) => {
      response.appendHeader('Set-Cookie', COOKIE)
      response.writeHead(200, { 'cache-control': PUBLIC, 'content-length': 0 }).end()
    },
    'written at once': (response) => {
      response.setHeader('set-cookie', COOKIE)
      response.setHeader('cache-control', PUBLIC)
      response.write('x')
      response.end('y')
    },
  }
  for (const [form, write] of Object.entries(forms)) {
    const headers = await headersOf(write)
    t.equal(headers['cache-control'], 'private, no-cache', form)
    t.match(headers['set-cookie']?.[0], COOKIE, form)
  }
  t.equal(
    (await headersOf((response) => response.writeHead(200, { 'set-cookie': COOKIE }).end()))['cache-control'],
    'private, no-cache',
  )
})

t.test('headers that already keep it private stay', async (t) => {
  const cases = [
    ['private', 'private'],
    ['private, max-age=60', 'private, max-age=60'],
    ['max-age=0, No-Store', 'max-age=0, No-Store'],
    ['private="set-cookie"', 'private, no-cache'],
    ['private="x", max-age=60', 'private, no-cache'],
    ['public, private', 'private, no-cache'],
    ['private, s-maxage=5', 'private, no-cache'],
    ['no-cache', 'private, no-cache'],
    ['x-private', 'private, no-cache'],
    ['max-age=60', 'private, no-cache'],
    ['', 'private, no-cache'],
  ] as const
  t.strictSame(
    await findFailing(
      cases,
      async ([value]) => {
        const headers = await headersOf((response) =>
          response.writeHead(200, { 'cache-control': value, 'set-cookie': COOKIE }).end(),
        )
        return headers['cache-control']
      },
      ([, expected]) => expected,
    ),
    [],
  )
})

t.test('a response without a cookie does not change', async (t) => {
  const headers = await headersOf((response) =>
    response.writeHead(200, ['cache-control', PUBLIC, 'cdn-cache-control', 'max-age=9', 'x', '1', 'x', '2']).end(),
  )
  t.match(headers, { 'cache-control': PUBLIC, 'cdn-cache-control': 'max-age=9', x: '1, 2' })
})

t.test('the cookie of a middleware that wraps the response later counts', async (t) => {
  const headers = await headersOf((response) => {
    const { writeHead } = response
    response.writeHead = function wrapped(this: ServerResponse, ...args: unknown[]) {
      this.setHeader('set-cookie', COOKIE)
      return Reflect.apply(writeHead, this, args) as ServerResponse
    } as ServerResponse['writeHead']
    response.setHeader('cache-control', PUBLIC)
    response.end()
  })
  t.equal(headers['cache-control'], 'private, no-cache')
})

t.test('the cookie of a middleware that has wrapped the response before counts', async (t) => {
  // express-session does this with the package on-headers.
  function wrap(response: ServerResponse) {
    const { writeHead } = response
    response.writeHead = function wrapped(this: ServerResponse, status: number, given: object = {}) {
      for (const [name, value] of Object.entries(given)) this.setHeader(name, value)
      this.setHeader('Set-Cookie', COOKIE)
      return Reflect.apply(writeHead, this, [status]) as ServerResponse
    } as ServerResponse['writeHead']
  }
  const send = (response: ServerResponse) =>
    response.writeHead(200, { 'cache-control': PUBLIC, expires: 'Fri, 01 Jan 2100 00:00:00 GMT' }).end()
  t.match(await headersOf(send, wrap), {
    'cache-control': 'private, no-cache',
    expires: undefined,
    'set-cookie': [COOKIE],
  })
  const late = await headersOf((response) => {
    response.setHeader('cache-control', PUBLIC)
    response.end()
  }, wrap)
  t.equal(late['cache-control'], 'private, no-cache')
})

t.test('allowsSomeCache finds targeted headers that allow a cache to store the response', async (t) => {
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
  const cases = [
    ['cdn-cache-control', 'max-age=60', true],
    ['Cloudflare-CDN-Cache-Control', 'public', true],
    ['vercel-cdn-cache-control', 'max-age=60, private="x"', true],
    ['netlify-cdn-cache-control', 'no-store', false],
    ['akamai-cache-control', 'max-age=60', true],
    ['surrogate-control', 'max-age=60', true],
    ['surrogate-control', 'no-store, max-age=0', false],
    ['edge-control', '!no-store, max-age=60', true],
    ['x-accel-expires', '60', true],
    ['x-accel-expires', '0', false],
    ['expires', inAnHour, true],
    ['expires', '0', false],
    ['expires', 'Thu, 01 Jan 1970 00:00:00 GMT', false],
    ['pragma', 'public', true],
    ['pragma', 'no-cache', false],
    ['cache-control', 'public', false],
    ['x-cache', 'hit', false],
  ] as const
  t.strictSame(
    await findFailing(
      cases,
      ([name, value]) => allowsSomeCache(name, value),
      ([, , expected]) => expected,
    ),
    [],
  )
})
