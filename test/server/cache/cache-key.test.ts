import t from 'tap'
import { cacheScope, documentKey, type KeyedRequest, pathTag } from '../../../src/server/cache/cache-key.ts'
import { createTextCache } from '../../../src/server/util/memoize.ts'

const request: KeyedRequest = {
  scope: cacheScope({ buildId: 'b', publicEnv: null, hosts: [] }),
  origin: 'https://shop.example',
  format: 'html',
  kept: 0,
  mayReport: true,
  path: '/news',
  search: '',
}

t.test('each part of a request that the response depends on is in the key', async (t) => {
  const others: KeyedRequest[] = [
    { ...request, origin: 'http://shop.example' },
    { ...request, origin: 'https://other.example' },
    { ...request, format: 'json' },
    { ...request, kept: 1 },
    { ...request, mayReport: false },
    { ...request, path: '/new' },
    { ...request, path: `/${'a'.repeat(8_000)}1` },
    { ...request, path: `/${'a'.repeat(8_000)}2` },
    { ...request, search: `?q=${'a'.repeat(8_000)}1` },
    { ...request, scope: cacheScope({ buildId: 'c', publicEnv: null, hosts: [] }) },
    { ...request, scope: cacheScope({ buildId: 'b', publicEnv: '{"PUBLIC_COLOR":"red"}', hosts: [] }) },
    { ...request, scope: cacheScope({ buildId: 'b', publicEnv: '{"PUBLIC_COLOR":"blue"}', hosts: [] }) },
    { ...request, scope: cacheScope({ buildId: 'b', publicEnv: null, hosts: ['shop.example'] }) },
  ]
  const keys = [request, ...others].map(documentKey)
  t.equal(new Set(keys).size, keys.length)
  const hosts = (...names: string[]) => cacheScope({ buildId: 'b', publicEnv: null, hosts: names })
  t.equal(hosts('a.example', 'b.example'), hosts('b.example', 'a.example'), 'the order of hosts is not')
})

t.test('what clients send cannot make keys, tags or remembered entries long', async (t) => {
  const path = `/${'é'.repeat(4_000)}`
  t.ok(documentKey({ ...request, path, search: `?q=${path}` }).length < 400)
  t.ok(pathTag(path).length <= 256)
  t.not(pathTag(path), pathTag(`${path}x`))
  const known = createTextCache<string>(100)
  for (let at = 0; at < 10; at++) known.set('a'.repeat(8_000) + at, 'value')
  t.equal(known.size, 0)
  for (let at = 0; at < 110; at++) known.set(`${at}`, 'value')
  t.equal(known.size, 100)
})
