import t from 'tap'
import { findPromises, silencePromises, withSafePromises } from '../../../src/server/render/deferred.ts'

const owner = { promises: new WeakMap<PromiseLike<unknown>, Promise<unknown>>() }

t.test('promises in data are made safe for React, and data without promises stays the same object', async (t) => {
  const plain = { a: [1, { b: new Date(0) }], c: new Map() }
  t.equal(
    withSafePromises(plain, () => new Error('replaced'), owner),
    plain,
  )
  const node: Record<string, unknown> = {}
  node.self = node
  t.equal(
    withSafePromises(node, () => new Error('replaced'), owner),
    node,
    'a circle',
  )
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('looked at')
      },
    },
  )
  const error = new Error('an ordinary one')
  const data = { bad: Promise.reject(hostile), good: [Promise.reject(error), Promise.resolve(5)] }
  const seen: unknown[] = []
  const safe = withSafePromises(
    data,
    (reason) => {
      seen.push(reason)
      return new Error('replaced')
    },
    owner,
  ) as typeof data
  await t.rejects(safe.bad, { message: 'replaced' })
  t.equal(await safe.good[0]?.catch((thrown: unknown) => thrown), error, 'what is safe stays')
  t.equal(await safe.good[1], 5)
  t.equal(seen.length, 1)
  t.ok(Object.is(seen[0], hostile))
  await data.bad.catch(() => {})
})

const replace = () => new Error('replaced')

t.test('promises are made safe wherever data may hold them', async (t) => {
  const unsafe = () => Promise.reject(new Proxy({}, {}))
  const data = {
    array: [unsafe()],
    map: new Map([['key', unsafe()]]),
    set: new Set([unsafe()]),
    bare: Object.assign(Object.create(null), { inner: unsafe() }) as { inner: unknown },
    nested: new Map([['key', new Set([[unsafe()]])]]),
  }
  const safe = withSafePromises(data, replace, owner) as typeof data
  const [inSet] = safe.set
  const [nested] = safe.nested.get('key') ?? []
  for (const promise of [safe.array[0], safe.map.get('key'), inSet, safe.bare.inner, nested?.[0]])
    await t.rejects(Promise.resolve(promise), { message: 'replaced' })
  t.equal(Object.getPrototypeOf(safe.bare), null)
  silencePromises(data, owner)
})

t.test('what occurs several times in data does so with safe promises', async (t) => {
  const promise = Promise.reject(new Proxy({}, {}))
  const shared = { promise }
  const data: Record<string, unknown> = { first: promise, second: promise, shared, again: [shared] }
  data.self = data
  const safe = withSafePromises(data, replace, owner) as {
    first: unknown
    second: unknown
    shared: object
    self: unknown
  }
  t.not(safe.first, promise)
  t.equal(safe.second, safe.first)
  t.match(safe, { shared: { promise: safe.first }, again: [safe.shared] })
  t.equal(safe.self, safe)
  await t.rejects(Promise.resolve(safe.first), { message: 'replaced' })
})

t.test('objects that cannot be copied stay the same, and so does a property named __proto__', async (t) => {
  class Cart {
    promise = Promise.resolve()
  }
  const data = { cart: new Cart(), date: new Date(0), later: Promise.resolve() }
  Object.defineProperty(data, '__proto__', { value: { polluted: true }, enumerable: true })
  const safe = withSafePromises(data, replace, owner) as typeof data
  t.not(safe, data)
  t.equal(safe.cart, data.cart)
  t.equal(safe.date, data.date)
  t.equal(Object.getPrototypeOf(safe), Object.prototype)
  t.ok(Object.hasOwn(safe, '__proto__'))
})

t.test('promises are found with their paths, the nearest first, however deep they are', async (t) => {
  const promises = Array.from({ length: 6 }, () => Promise.resolve()) as [
    object,
    object,
    object,
    object,
    object,
    object,
  ]
  const [a, b, c, d, e, f] = promises
  const hostile = Object.defineProperty({}, 'then', {
    get() {
      throw new Error('read')
    },
  })
  const deep = { list: [{ a: { b: { c: { d: { e: f } } } } }] }
  const data = { deep, hostile, map: new Map([['x', c]]), set: new Set([1, d]), bytes: new Uint8Array(3), list: [b], a }
  t.strictSame(
    [
      ...findPromises(
        {
          ...data,
          nothing: null,
          again: a,
          cart: new (class {
            e = e
          })(),
        },
        'data',
      ),
    ],
    [
      [a, 'data.a'],
      [c, 'data.map.0'],
      [d, 'data.set.1'],
      [b, 'data.list.0'],
      [e, 'data.cart.e'],
      [f, 'data.deep.list.0.a.b.c.d.e'],
    ],
  )
  let nested: unknown[] = [a]
  for (let depth = 0; depth < 20_000; depth++) nested = [nested]
  t.equal(findPromises(nested, 'data').size, 1)
})
