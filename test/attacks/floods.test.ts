// Attacks by number: endless reports and refusals that fill the log and the ledger, or push useful entries out of
// them (CWE-770).

import t from 'tap'
import { findFailing } from '../find-failing.ts'
import { testSite } from '../test-site.ts'
import { listenRaw, rawRequest } from './raw.ts'

const site = { '/': {}, '/act': { action: () => ({}) } }
const BROWSER = { origin: 'http://shop.example', host: 'shop.example', 'content-type': 'application/json' }
const reportOf = (n: number) =>
  JSON.stringify({
    kind: 'failure',
    build: `build-${n}`,
    path: `/${'p'.repeat(n)}`,
    isRecovered: false,
    error: { type: `Error${n}`, message: `${String.fromCharCode(97 + (n % 26)).repeat(500)}`, stack: '' },
  })

t.test('of endless reports a few are accepted, whatever addresses they claim', async (t) => {
  const { app, log } = await testSite(t, site, { ledger: false })
  const statuses = new Map<number, number>()
  const kept: number[] = []
  for (let n = 0; n < 400; n++) {
    const headers = {
      ...BROWSER,
      'x-forwarded-for': `10.0.${n % 256}.${n % 250}`,
      forwarded: `for=10.1.${n % 256}.1`,
      'x-real-ip': `10.2.0.${n % 250}`,
      'user-agent': `Mozilla/5.0 ${n}`,
    }
    const { statusCode, headers: answered } = await app.inject({
      method: 'POST',
      url: '/_hydrant/report',
      headers,
      payload: reportOf(n),
    })
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
    if (answered['cache-control'] !== 'no-store') kept.push(n)
  }
  t.strictSame(kept, [])
  t.strictSame([...statuses.keys()].sort(), [204, 429])
  // The allowance of one minute, plus what is refilled while the others are sent.
  t.ok((statuses.get(204) ?? 0) <= 80, `${statuses.get(204)} were taken`)
  t.equal(log.errors().length, statuses.get(204))
  t.ok(log.lines.length - log.errors().length <= 3, 'the others do not fill the log')
})

t.test('bodies that are not reports fill nothing either', async (t) => {
  const { app, log } = await testSite(t, site, { ledger: false, logger: false })
  const payloads = [
    '',
    '{',
    '[]',
    '{"kind":"failure"}',
    reportOf(5).replace('build-5', 'b'.repeat(65)),
    'x'.repeat(40_000),
  ]
  const taken = await findFailing(
    payloads.flatMap((payload) => Array<string>(5).fill(payload)),
    async (payload) => {
      const { statusCode } = await app.inject({ method: 'POST', url: '/_hydrant/report', headers: BROWSER, payload })
      return [400, 413].includes(statusCode) ? undefined : statusCode
    },
  )
  t.strictSame(taken, [])
  t.strictSame(log.errors(), [])
})

t.test('bytes that are not requests fill no log', async (t) => {
  const { app, log } = await testSite(t, site, { ledger: false })
  const { send } = await listenRaw(t, app)
  for (let n = 0; n < 60; n++) await send(`GARBAGE ${n}\r\n\r\n`)
  t.ok(log.lines.length <= 4, `${log.lines.length} lines`)
  t.match(await send(rawRequest('GET / HTTP/1.1', ['Host: a'])), /^HTTP\/1\.1 200/)
})
