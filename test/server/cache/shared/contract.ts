// The behavior of every shared store.

import type { Test } from 'tap'
import { EVERY_TAG, type SharedStore } from '../../../../src/server/cache/shared/shared-store.ts'
import { until } from '../../../until.ts'
import { type OpenStore, render, response } from './stores.ts'

const LONG_MS = 600_000

/** Opens an empty store of this many bytes and tags. */
export type CreateStore = (maxBytes: number, maxTags?: number) => OpenStore

export function testSharedStore(t: Test, create: CreateStore) {
  async function openTwo(t: Test, maxBytes = 1_000_000, maxTags?: number): Promise<[SharedStore, SharedStore]> {
    const open = create(maxBytes, maxTags)
    return [await open(t), await open(t)]
  }

  t.test('a process finds what another one has stored', async (t) => {
    const [one, other] = await openTwo(t)
    t.equal(await one.get('key'), null)
    const since = await one.versions()
    t.ok(since)
    if (!since) return
    const stored = response(['a'], 'é\0\ud800💧'.repeat(2_000), { scripts: ["'sha256-x'"], freshMs: 5_000.5 })
    await one.set('key', stored, since)
    for (const store of [one, other]) {
      const found = await store.get('key')
      t.strictSame({ ...found, storedAt: 0 }, { ...stored, storedAt: 0 })
    }
    t.equal(await other.get('other key'), null)
    await one.set('key', response([], 'newer'), since)
    t.match(await other.get('key'), { body: 'newer' })
  })

  t.test('the age of a response is kept', async (t) => {
    const [one, other] = await openTwo(t)
    const since = await one.versions()
    const storedAt = Date.now() - 1_000_000
    if (since) await one.set('key', response([], 'old', { storedAt, freshMs: LONG_MS, staleMs: LONG_MS }), since)
    const found = await other.get('key')
    t.ok(found && Math.abs(found.storedAt - storedAt) < 500_000)
  })

  t.test('a response whose time has passed is not found', async (t) => {
    const [one, other] = await openTwo(t)
    const since = await one.versions()
    if (since) await one.set('key', response([], 'short', { freshMs: 1, staleMs: 1 }), since)
    await until(async () => (await other.get('key')) === null)
    if (since) await one.set('key', response([], 'over', { storedAt: Date.now() - 2 * LONG_MS, freshMs: 1 }), since)
    t.equal(await other.get('key'), null)
  })

  t.test('an invalidated response is found in no process', async (t) => {
    const [one, other] = await openTwo(t)
    await render(one, 'a', ['product:1', 'products'])
    await render(one, 'b', ['product:2', 'products'])
    await render(one, 'c')
    t.equal(await other.invalidate(['product:1', 'unknown']), true)
    for (const store of [one, other]) {
      t.equal(await store.get('a'), null)
      t.ok(await store.get('b'))
      t.ok(await store.get('c'))
    }
    await one.invalidate(['products'])
    t.equal(await other.get('b'), null)
    t.ok(await other.get('c'))
  })

  t.test('a render that began before an invalidation is never stored', async (t) => {
    const [one, other] = await openTwo(t)
    const before = await one.versions()
    await other.invalidate(['a'])
    if (before) {
      await one.set('of a', response(['a', 'b']), before)
      await one.set('of b', response(['b']), before)
    }
    t.equal(await one.get('of a'), null)
    t.ok(await one.get('of b'))
    await render(one, 'of a', ['a', 'b'])
    t.ok(await other.get('of a'), 'one that began later is')
  })

  t.test('an older render does not replace a newer one', async (t) => {
    const [one, other] = await openTwo(t)
    const before = await one.versions()
    await one.invalidate(['a'])
    await render(other, 'key', ['a'], 'newer')
    if (before) await one.set('key', response(['a'], 'older'), before)
    t.match(await one.get('key'), { body: 'newer' })
  })

  t.test('every other process hears of an invalidation', async (t) => {
    const [one, other] = await openTwo(t)
    const heard: Record<string, string[]> = { one: [], other: [] }
    one.onInvalidate((tags) => heard.one?.push(...tags))
    other.onInvalidate((tags) => heard.other?.push(...tags))
    await one.invalidate(['a', 'b'])
    await until(() => heard.other?.length === 2)
    t.strictSame(heard.other?.sort(), ['a', 'b'])
    await other.invalidate(['c'])
    await until(() => heard.one?.includes('c'))
    t.strictSame(heard.one, ['c'])
    await one.invalidate(['a'])
    await until(() => heard.other?.length === 3)
    t.strictSame(heard, { one: ['c'], other: ['a', 'b', 'a'] })
  })

  t.test('names may have any length and any characters', async (t) => {
    const [one, other] = await openTwo(t)
    const names = ['', ' ', ':', '5:a', '"', '\\', '=', 'a\0b', 'ü', '💧', '\ud800', 'x'.repeat(20_000), '%s', "'); --"]
    const heard = new Set<string>()
    other.onInvalidate((tags) => {
      for (const tag of tags) heard.add(tag)
    })
    for (const name of names) await render(one, `key ${name}`, names)
    for (const name of names) t.ok(await other.get(`key ${name}`), JSON.stringify(name).slice(0, 20))
    for (const name of names) {
      await render(one, 'key', [name, 'other'])
      t.ok(await other.get('key'))
      await one.invalidate([name])
      t.equal(await other.get('key'), null)
      // The empty name is every tag: a response that is read meanwhile is not used.
      await until(() => heard.has(name))
    }
    t.strictSame([...heard].sort(), [...names].sort())
  })

  t.test('clear removes everything, in every process', async (t) => {
    const [one, other] = await openTwo(t)
    const heard: string[] = []
    other.onInvalidate((tags) => heard.push(...tags))
    await render(one, 'a', ['a'])
    await render(one, 'b')
    const before = await one.versions()
    t.equal(await one.clear(), true)
    t.equal(await one.get('a'), null)
    t.equal(await other.get('b'), null)
    if (before) await one.set('a', response(), before)
    t.equal(await other.get('a'), null, 'what is being rendered is not stored')
    await until(() => heard.includes(EVERY_TAG))
    await render(one, 'a')
    t.ok(await other.get('a'))
    await other.clear()
    t.equal(await one.get('a'), null)
  })

  t.test('one process renders at a time', async (t) => {
    const [one, other] = await openTwo(t)
    const given = await Promise.all([one, other, one, other].map((store) => store.lease('key', LONG_MS)))
    t.equal(given[0], given[2], 'the process with the lease may ask again')
    t.not(given[0], given[1])
    const [first, second] = given[0] ? [one, other] : [other, one]
    await second.release('key')
    t.equal(await second.lease('key', LONG_MS), false, 'others cannot release it')
    t.equal(await second.lease('other key', LONG_MS), true)
    await first.release('key')
    t.equal(await second.lease('key', LONG_MS), true)
    await render(second, 'key')
    t.equal(await first.lease('key', 1), true, 'storing ends a lease')
    t.ok(await until(() => second.lease('key', LONG_MS)), 'it ends by itself')
  })

  t.test('a process waits for the response of another one', async (t) => {
    const [one, other] = await openTwo(t)
    await one.lease('key', LONG_MS)
    const waiting = [other.awaitEntry('key', LONG_MS), other.awaitEntry('key', LONG_MS)]
    await render(one, 'key', [], 'shared')
    for (const found of await Promise.all(waiting)) t.match(found, { body: 'shared' })
    t.match(await other.awaitEntry('key', LONG_MS), { body: 'shared' }, 'it is there already')
  })

  t.test('a process that waits is told when there is no response', async (t) => {
    const [one, other] = await openTwo(t)
    t.equal(await other.awaitEntry('key', LONG_MS), null, 'nobody renders')
    await one.lease('key', LONG_MS)
    const released = other.awaitEntry('key', LONG_MS)
    await one.release('key')
    t.equal(await released, null, 'released')
    await one.lease('key', LONG_MS)
    const since = await one.versions()
    const refused = other.awaitEntry('key', LONG_MS)
    await one.invalidate(['a'])
    if (since) await one.set('key', response(['a']), since)
    t.equal(await refused, null, 'outdated')
    await one.lease('key', LONG_MS)
    t.equal(await other.awaitEntry('key', 1), null, 'it takes too long')
    await one.lease('short', 20)
    t.equal(await other.awaitEntry('short', LONG_MS), null, 'the lease ends')
  })

  t.test('the oldest responses are removed when the bytes are used up', async (t) => {
    const [one, other] = await openTwo(t, 100_000)
    await render(one, 'first', [], 'x'.repeat(30_000))
    for (const key of ['a', 'b', 'c', 'd']) await render(other, key, [], 'x'.repeat(25_000))
    await until(async () => (await one.get('first')) === null)
    t.ok(await one.get('d'))
    await render(one, 'd', [], 'smaller')
    await render(one, 'e', [], 'x'.repeat(25_000))
    t.ok(await one.get('e'))
    t.match(await one.get('d'), { body: 'smaller' })
  })

  t.test('the oldest tags are forgotten, together with the responses that they may concern', async (t) => {
    const [one, other] = await openTwo(t, 2_000, 5)
    await render(one, 'old', ['a'])
    const before = await one.versions()
    const invalidated = Array.from({ length: 20 }, (_, index) => `tag ${index}`)
    for (const tag of invalidated) await other.invalidate([tag])
    await until(async () => {
      await render(one, 'new', ['a', 'tag 0'])
      return (await one.get('old')) === null
    })
    if (before) await one.set('old', response(['a', 'tag 0']), before)
    t.equal(await other.get('old'), null)
    t.ok(await until(() => other.get('new')))
    await other.invalidate(['tag 0'])
    t.equal(await one.get('new'), null)
  })
}
