// A request for a URL that has been found in the cache before takes a shorter way. It must get the same response.

import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { KnownKeys } from '../../../src/server/cache/cache-key.ts'
import { type GuardContext, HttpError, type LoadContext } from '../../../src/server/index.ts'
import { findFailing } from '../../find-failing.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

t.test('a key is found for an equal request only', async (t) => {
  const keys = new KnownKeys()
  const known = { route: '/[id]', url: '/a?page=2', origin: 'http://a.example', mayReport: true }
  keys.add(known, 'key')
  t.equal(keys.find({ ...known }), 'key')
  t.equal(keys.find({ ...known, route: '/a' }), null)
  t.equal(keys.find({ ...known, mayReport: false }), null)
  for (const other of [{ url: '/a?page=3' }, { origin: 'https://a.example' }, { origin: 'http://b.example' }])
    t.equal(keys.find({ ...known, ...other }), null, JSON.stringify(other))

  const long = { ...known, url: `/a?${'x'.repeat(300)}` }
  keys.add(long, 'long')
  t.equal(keys.find(long), null, 'long URLs are not kept')
})

let version = 1
const page = {
  Component: ({ data }: { data: { text: string } }) => <p>{data.text}</p>,
  load: ({ url }: LoadContext) => ({ text: `${url.href} ${version}` }),
}
const site = {
  '/open': { ...page, cache: { maxAgeS: 60, search: ['page'], tags: ['open'] } },
  '/guarded': {
    ...page,
    cache: { maxAgeS: 60, tags: ['open'] },
    guard({ request }: GuardContext) {
      if (request.headers['x-member'] !== 'yes') throw new HttpError(403, 'Members only.')
    },
  },
}
async function server(app: FastifyInstance) {
  app.addHook('onRequest', async ({ headers }, reply) => {
    for (const name of ['vary', 'cache-control', 'referrer-policy', 'content-security-policy', 'age'])
      if (headers[`x-${name}`]) reply.header(name, headers[`x-${name}`])
  })
}

t.test('a request gets the same response as a server sends that has seen no other', async (t) => {
  const visitors: Record<string, string>[] = [
    HTML,
    { ...HTML, host: 'b.example' },
    { ...HTML, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'b.example', 'x-forwarded-for': '1.2.3.4' },
    { ...HTML, dnt: '1' },
    { ...HTML, 'accept-encoding': 'br' },
    { ...HTML, 'accept-encoding': 'br', cookie: 'a=1', 'sec-fetch-site': 'cross-site' },
    { ...HTML, 'x-vary': 'Origin', 'x-age': '999' },
    { ...HTML, 'x-cache-control': 'private, no-transform' },
    { ...HTML, 'x-referrer-policy': 'no-referrer', 'x-content-security-policy': "default-src 'self'" },
    { ...HTML, 'x-member': 'yes' },
    JSON_ONLY,
  ]
  const requests = ['/open', '/open?page=2', '/open?other=2', '/guarded'].flatMap((url) =>
    visitors.map((headers) => ({ url, headers })),
  )
  const options = { server, trustProxy: true, reports: { respectPrivacySignals: true } }
  const seen = await testSite(t, site, options)
  const ask = ({ app }: typeof seen, { url, headers }: (typeof requests)[number], method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url, headers, remoteAddress: '10.0.0.1' })
  // Twice: the second round finds what the first has stored, in the place of the visitor before.
  for (let round = 0; round < 2; round++) for (const request of requests) await ask(seen, request)
  const failing = await findFailing(requests, async (request) => {
    const fresh = await testSite(t, site, options)
    const expected = await ask(fresh, request)
    await fresh.app.close()
    // After another visitor, and after the same one.
    const came = [shown(await ask(seen, request)), shown(await ask(seen, request))]
    const { etag } = (await ask(seen, request, 'HEAD')).headers
    const wanted = [shown(expected), shown(expected)]
    return isDeepStrictEqual(came, wanted) && etag === expected.headers.etag ? undefined : { came, etag, wanted }
  })
  t.strictSame(failing, [])

  version = 2
  await seen.app.pageCache.invalidate({ tags: ['open'] })
  t.match((await seen.get('/open')).body, '/open 2', 'an invalidation removes it')
})

/** Returns a response without what differs each time; the status of a refusal. */
function shown({ statusCode, headers, rawPayload }: LightMyRequestResponse) {
  if (statusCode !== 200) return { statusCode }
  const { 'x-request-id': _id, date: _date, age: _age, ...others } = headers
  return { statusCode, headers: others, body: rawPayload.toString('base64') }
}
