import t from 'tap'
import { PageCache } from '../../../src/server/cache/page-cache.ts'
import type { StoredResponse } from '../../../src/server/cache/shared/shared-store.ts'
import { until } from '../../until.ts'
import { createMemoryBackends, createStore } from './shared/stores.ts'

const response = (given: Partial<StoredResponse> = {}): StoredResponse => ({
  id: '1',
  body: '<p>page</p>',
  headers: [],
  scripts: [],
  styles: [],
  tags: [],
  storedAt: 0,
  freshMs: 1_000,
  staleMs: 2_000,
  ...given,
})

function createCache(maxBytes = 100_000) {
  const clock = { now: 0 }
  const cache = new PageCache(maxBytes, null, () => clock.now)
  const store = (key: string, given?: Partial<StoredResponse>) => {
    const stored = response(given)
    return cache.begin(key, '/page').store(stored)
  }
  const begin = (key: string, tags: readonly string[]) => {
    const rendering = cache.begin(key, '/page')
    rendering.setTags(tags)
    return rendering
  }
  return { cache, clock, store, begin }
}

t.test('a page is fresh, then stale, then gone', async (t) => {
  const { cache, clock, store } = createCache()
  t.equal(cache.find('a'), null)
  const page = store('a')
  t.strictSame(cache.find('a'), { page, isStale: false })
  clock.now = 999
  t.equal(cache.find('a')?.isStale, false)
  clock.now = 1_000
  t.equal(cache.find('a')?.isStale, true)
  clock.now = 3_000
  t.equal(cache.find('a'), null)
})

t.test('a page from the future is gone, because the clock was set back', async (t) => {
  const { cache, clock, store } = createCache()
  clock.now = 1_000_000
  const page = store('a', { storedAt: clock.now })
  store('b', { storedAt: clock.now, isPermanent: true })
  clock.now -= 5_000
  t.strictSame(cache.find('a'), { page, isStale: false }, 'clocks are corrected by small amounts')
  clock.now -= 1
  t.equal(cache.find('a'), null)
  t.ok(cache.find('b'), 'no clock matters for a page that never expires')
  clock.now = 1_000_000
  t.equal(cache.find('a'), null, 'for good')
})

t.test('a page of another process that is from the future is rendered again', async (t) => {
  const store = await createStore(t, { backend: createMemoryBackends(100_000)() })
  const cache = new PageCache(100_000, store)
  const since = await store.versions()
  const storedAt = Date.now() + 60_000
  if (since) await store.set('a', response({ storedAt, freshMs: 1_000_000 }), since)
  t.match(await cache.takeTurn('a', 1_000, null), { response: null })
})

t.test('a refresh takes a newer response of another process, and not the stale one or an older one', async (t) => {
  const store = await createStore(t, { backend: createMemoryBackends(100_000)() })
  const since = await store.versions()
  if (since === null) return t.fail('the store is available')
  // A store on another machine tells a time that is later by what the calls take.
  const LATENCY_MS = 5
  async function get(key: string) {
    const found = await store.get(key)
    return found && { ...found, storedAt: found.storedAt + LATENCY_MS }
  }
  const cache = new PageCache(100_000, { ...store, get })
  const stale = response({ id: 'stale', storedAt: Date.now() - 5_000, freshMs: 0, staleMs: 600_000 })
  const newer = { ...stale, id: 'newer', storedAt: Date.now() }
  const older = { ...stale, id: 'older', storedAt: stale.storedAt - 1_000 }
  for (const [stored, taken] of [
    [stale, null],
    [older, null],
    [newer, { id: 'newer' }],
  ] as const) {
    await store.set('a', stored, since)
    const turn = await cache.takeTurn('a', 1_000, stale)
    t.match(turn, { response: taken }, stored.id)
    if (turn !== null && 'end' in turn) turn.end()
  }
})

t.test('a process that waits for the render of another one has the answer of the store before', async (t) => {
  const backends = createMemoryBackends(100_000)
  const [first, second] = [await createStore(t, { backend: backends() }), await createStore(t, { backend: backends() })]
  const turn = await new PageCache(100_000, first).takeTurn('a', 60_000, null)
  const waiting = await new PageCache(100_000, second).takeTurn('a', 60_000, null)
  if (turn === null || waiting === null || 'wait' in turn || !('wait' in waiting)) return t.fail('the second waits')
  const taken = waiting.wait()
  turn.share(response({ body: 'rendered', storedAt: Date.now() }))
  t.match(await taken, { response: { body: 'rendered' } })
})

t.test('invalidating a tag or a path removes the pages that have it, and no other', async (t) => {
  const { cache, store } = createCache()
  store('a', { tags: ['one', 'two', 'path:/shop/a'] })
  store('b', { tags: ['two', 'path:/shop/b%20c'] })
  store('c', { tags: ['path:/shop/c'] })
  await cache.invalidate({ tags: ['two'] })
  t.equal(cache.find('a'), null)
  t.equal(cache.find('b'), null)
  t.ok(cache.find('c'))
  await cache.invalidate({ path: '/shop/c?query' })
  t.equal(cache.find('c'), null)
  store('b', { tags: ['path:/shop/b%20c'] })
  await cache.invalidate({ path: '/shop/b c' })
  t.equal(cache.find('b'), null, 'the encoding of a path does not matter')
  store('a')
  await cache.clear()
  t.equal(cache.find('a'), null)
})

t.test(
  'a rendering that began before an invalidation is not stored, and nobody who comes later waits for it',
  async (t) => {
    const { cache, begin } = createCache()
    const first = begin('a', ['one'])
    const waiting = cache.awaitRendering('a')
    await cache.invalidate({ tags: ['other'] })
    t.equal(cache.awaitRendering('a'), waiting)
    await cache.invalidate({ tags: ['one'] })
    t.equal(cache.awaitRendering('a'), null)
    const second = begin('a', ['one'])
    first.store(response({ body: 'old', tags: ['one'] }))
    t.equal(await waiting, 'outdated')
    t.equal(cache.find('a'), null)
    const later = cache.awaitRendering('a')
    const page = second.store(response({ body: 'new', tags: ['one'] }))
    t.equal(await later, page)
    t.equal(cache.find('a')?.page, page)
  },
)

t.test('emptying the cache also outdates what is being rendered', async (t) => {
  const { cache } = createCache()
  const rendering = cache.begin('a', '/page')
  await cache.clear()
  rendering.store(response())
  t.equal(cache.find('a'), null)
})

t.test('more tags than are remembered never make an outdated page current', async (t) => {
  const { cache, begin } = createCache()
  const rendering = begin('a', ['tag'])
  await cache.invalidate({ tags: ['tag'] })
  for (let at = 0; at < 20; at++)
    await cache.invalidate({ tags: Array.from({ length: 1_000 }, (_, index) => `${at}-${index}`) })
  rendering.store(response({ tags: ['tag'] }))
  t.equal(cache.find('a'), null)
})

t.test('a rendering without a response is not repeated at once, and less often each time', async (t) => {
  const { cache, clock, store } = createCache()
  store('a', { freshMs: 0, staleMs: 1_000_000 })
  const pauses: number[] = []
  for (let failures = 0; failures < 7; failures++) {
    t.equal(cache.mayRefresh('a'), true)
    const rendering = cache.begin('a', '/page')
    t.equal(cache.mayRefresh('a'), false, 'while it runs')
    rendering.giveUp()
    const from = clock.now
    while (!cache.mayRefresh('a')) clock.now += 500
    pauses.push(clock.now - from)
  }
  t.strictSame(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  store('a')
  cache.begin('a', '/page').giveUp()
  clock.now += 1_000
  t.equal(cache.mayRefresh('a'), true, 'a response ends the row of failures')
})

t.test('the pause after a failure ends when the clock is set back', async (t) => {
  const { cache, clock, store } = createCache()
  clock.now = 1_000_000
  store('a', { storedAt: clock.now })
  cache.begin('a', '/page').giveUp()
  t.equal(cache.mayRefresh('a'), false)
  clock.now = 0
  t.equal(cache.mayRefresh('a'), true)
})

t.test('the memory of all pages is limited', async (t) => {
  const { cache, store } = createCache(40_000)
  const body = 'x'.repeat(5_000)
  for (const key of ['a', 'b', 'c']) store(key, { body, tags: [key] })
  t.equal(cache.find('a'), null, 'the page that was used least recently is gone')
  t.ok(cache.find('b'))
  store('huge', { body: 'x'.repeat(50_000) })
  t.equal(cache.find('huge'), null)
})

t.test('compressed copies count for the memory', async (t) => {
  const { cache, store } = createCache(78_000)
  const body = Array.from({ length: 1_500 }, (_, index) => `${Math.sin(index)}`.slice(0, 8)).join('')
  store('a', { body })
  const b = store('b', { body })
  t.ok(cache.find('a'))
  t.ok(cache.find('b'))
  await b.bodyIn('br').bytes()
  await b.bodyIn('gzip').bytes()
  t.equal(b.bodyIn('br').bytes(), b.bodyIn('br').bytes())
  t.ok(cache.find('b'))
  t.equal(cache.find('a'), null)
})

t.test('the compressed copy of a shell counts for its memory', async (t) => {
  const { store } = createCache()
  const page = store('a', { body: '<p>shell</p>'.repeat(100) })
  const { start } = page.shell
  const { size } = page
  const copy = await start.gzip()
  t.equal(await start.gzip(), copy)
  t.equal(page.size, size + copy.length)
})

t.test('no tag that is given removes the pages of other tags in other processes', async (t) => {
  const open = createMemoryBackends(100_000)
  const openCache = async () => new PageCache(100_000, await createStore(t, { backend: open() }), () => 0)
  const one = await openCache()
  const other = await openCache()
  const add = (key: string, tags: readonly string[]) => other.begin(key, '/page').store(response({ tags }))
  add('a', ['a'])
  add('star', ['*'])
  await one.invalidate({ tags: ['*', '', '\n'] })
  await until(() => other.find('star') === null)
  t.ok(other.find('a'))
  await one.clear()
  await until(() => other.find('a') === null)
})
