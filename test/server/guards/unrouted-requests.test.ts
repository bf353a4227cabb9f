import t from 'tap'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const { app, log } = await testSite(t, { '/': {} }, { base: '/shop', bodyLimit: 1_000 })

t.test('a request that reaches no route gets a 404, whatever its body', async (t) => {
  const bodies = [
    {},
    { headers: { 'content-type': 'application/json' }, payload: '{"a":' },
    { headers: { 'content-type': 'application/unknown' }, payload: 'a' },
    { headers: { 'content-type': 'nonsense' }, payload: 'a' },
    { headers: { 'content-type': 'text/plain' }, payload: 'a'.repeat(1_001) },
  ]
  const others: string[] = []
  for (const [method, url] of [
    ['QUERY', '/shop'],
    ['OPTIONS', '/shop'],
    ['PROPFIND', '/shop'],
    ['POST', '/elsewhere'],
    ['QUERY', '/elsewhere'],
  ] as const) {
    for (const [accept, type] of [
      [HTML.accept, 'text/html; charset=utf-8'],
      [JSON_ONLY.accept, 'application/problem+json; charset=utf-8'],
    ]) {
      for (const { headers, payload } of bodies) {
        const { statusCode, headers: received } = await app.inject({
          // Node.js accepts these methods. The types of `inject` do not have all of them.
          method: method as 'POST',
          url,
          headers: { ...headers, accept },
          ...(payload === undefined ? {} : { payload }),
        })
        if (statusCode !== 404 || received['content-type'] !== type)
          others.push(`${statusCode} ${received['content-type']}: ${method} ${url} ${headers?.['content-type']}`)
      }
    }
  }
  t.strictSame(others, [])
  t.strictSame(log.errors(), [])
})
