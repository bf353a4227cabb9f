import t from 'tap'
import { createTrustProxy, findMismatch } from '../../../src/server/guards/forwarding.ts'
import { listenRaw, rawRequest } from '../../attacks/raw.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import type { Log } from '../served.ts'

const site = { '/': {} }
const NEAR = '172.17.0.1'
const FAR = '203.0.113.9'
const X = { 'x-forwarded-for': '192.0.2.1' }
const STANDARD = { forwarded: 'for=192.0.2.1' }

t.test('requests are compared with the options', async (t) => {
  const cases = [
    [false, 'x-forwarded', NEAR, X, 'nobody-trusted'],
    [false, 'x-forwarded', NEAR, { 'x-forwarded-proto': 'https' }, 'nobody-trusted'],
    [false, 'x-forwarded', NEAR, STANDARD, 'nobody-trusted'],
    [false, 'x-forwarded', undefined, X, 'nobody-trusted'],
    [false, 'x-forwarded', FAR, X, null],
    [false, 'x-forwarded', NEAR, {}, null],
    [NEAR, 'x-forwarded', NEAR, X, null],
    [NEAR, 'x-forwarded', NEAR, { ...X, ...STANDARD }, null],
    [NEAR, 'x-forwarded', NEAR, {}, null],
    [NEAR, 'x-forwarded', NEAR, STANDARD, 'other-header'],
    [NEAR, 'forwarded', NEAR, X, 'other-header'],
    [NEAR, 'forwarded', NEAR, STANDARD, null],
    ['10.0.0.1', 'x-forwarded', NEAR, X, 'other-trusted'],
    ['10.0.0.1', 'x-forwarded', FAR, X, 'other-trusted'],
    ['10.0.0.1', 'x-forwarded', FAR, {}, null],
    [true, 'x-forwarded', FAR, {}, 'no-proxy'],
    [true, 'x-forwarded', NEAR, {}, null],
    [true, 'x-forwarded', FAR, X, null],
  ] as const
  t.strictSame(
    await findFailing(
      cases,
      ([trustProxy, forwardedHeader, peer, headers]) =>
        findMismatch(
          { trustProxy, forwardedHeader },
          createTrustProxy(trustProxy, () => true),
          peer,
          headers,
        ),
      ([, , , , expected]) => expected,
    ),
    [],
  )
})

t.test('a proxy that is not trusted causes one warning', async (t) => {
  const { app, log } = await testSite(t, site)
  const { send } = await listenRaw(t, app)
  const listeners = app.server.listenerCount('request')
  await send(rawRequest('GET / HTTP/1.1', ['Host: a']))
  t.strictSame(warnings(log), [])
  for (let count = 0; count < 3; count++)
    await send(rawRequest('GET / HTTP/1.1', ['Host: a', 'X-Forwarded-For: 192.0.2.1']))
  t.match(warnings(log), [
    /^127\.0\.0\.1 sends forwarded headers, but trustProxy is false, .*set HYDRANT_TRUST_PROXY=127\.0\.0\.1$/,
  ])
  t.equal(app.server.listenerCount('request'), listeners - 1, 'no further requests are checked')
})

t.test('a proxy that does not match the options causes one warning per mismatch', async (t) => {
  const { app, log } = await testSite(t, site, { trustProxy: 'loopback' })
  const { send } = await listenRaw(t, app)
  for (const header of ['X-Forwarded-For: 192.0.2.1', 'Forwarded: for=192.0.2.1', 'Forwarded: for=192.0.2.2'])
    await send(rawRequest('GET / HTTP/1.1', ['Host: a', header]))
  t.match(warnings(log), [
    /^127\.0\.0\.1, which trustProxy names, sends Forwarded but not X-Forwarded-…, .*HYDRANT_FORWARDED_HEADER=forwarded$/,
  ])
  const other = await testSite(t, site, { trustProxy: '10.0.0.1', forwardedHeader: 'forwarded' })
  const { send: sendOther } = await listenRaw(t, other.app)
  await sendOther(rawRequest('GET / HTTP/1.1', ['Host: a', 'Forwarded: for=192.0.2.1']))
  t.match(warnings(other.log), [
    /^127\.0\.0\.1 sends forwarded headers, but trustProxy does not name it, .*=127\.0\.0\.1$/,
  ])
})

function warnings({ lines }: Log): string[] {
  return lines
    .filter(({ level }) => level === 40)
    .map(({ msg }) => msg)
    .filter((msg) => msg.includes('trustProxy'))
}
