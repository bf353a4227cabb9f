import type { FastifyInstance } from 'fastify'
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

t.test('the hooks of server.ts run for all methods below the base', async (t) => {
  const server = async (app: FastifyInstance) => {
    app.addHook<{ Querystring: { answer?: string; fail?: string } }>('onRequest', async (request, reply) => {
      reply.header('x-hook', String(request.is404))
      if (request.query.answer) return reply.code(204).send()
      if (request.query.fail) throw new Error('of the hook')
    })
  }
  const { app, failuresOf } = await testSite(t, { '/': {} }, { base: '/shop', ledger: false, server })
  for (const [method, url, status, hook] of [
    ['OPTIONS', '/shop?answer=1', 204, 'true'],
    ['PROPFIND', '/shop/none?answer=1', 204, 'true'],
    ['OPTIONS', '/shop', 404, 'true'],
    ['OPTIONS', '/shop?fail=1', 500, 'true'],
    ['GET', '/shop/none', 404, 'false'],
    ['OPTIONS', '/elsewhere?answer=1', 404, undefined],
  ] as const) {
    // Node.js accepts these methods. The types of `inject` do not have all of them.
    const response = await app.inject({ method: method as 'OPTIONS', url, headers: JSON_ONLY })
    const title = `${method} ${url}`
    t.equal(response.statusCode, status, title)
    t.equal(response.headers['x-hook'], hook, title)
    t.equal(failuresOf(response).length, status === 500 ? 1 : 0, title)
  }
})
