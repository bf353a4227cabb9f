import t from 'tap'
import { toPlainJson } from '../../../src/server/render/plain-json.ts'

t.test('plain JSON rejects with the reason of a promise, and in time', async (t) => {
  const late = () => new Error('late')
  const reason = { a: 1 }
  await t.rejects(toPlainJson({ a: Promise.reject(new Error('no')) }, late, 1_000), { message: 'no' })
  t.equal(await toPlainJson(Promise.reject(reason), late, 1_000).catch((thrown: unknown) => thrown), reason)
  const names: string[] = []
  const forever = {
    a: new Promise(() => {}),
    b: [Promise.resolve(new Promise(() => {})), 1],
    c: Promise.resolve({ d: new Promise(() => {}) }),
  }
  await t.rejects(
    toPlainJson(
      forever,
      (pending) => {
        names.push(pending)
        return late()
      },
      20,
    ),
    { message: 'late' },
  )
  t.match(names[0], /data\.a/)
  t.match(names[0], /data\.c\.d/)
  const node: Record<string, unknown> = {}
  node.list = [{ node }]
  await t.rejects(toPlainJson(node, late, 1_000), { name: 'TypeError', message: /data\.list\.0\.node/ })
  t.equal(await toPlainJson(undefined, late, 1_000), 'null')
  t.equal(await toPlainJson(() => {}, late, 1_000), 'null')
})

t.test('plain JSON enters arrays, maps, sets and objects, and awaits the promises in them', async (t) => {
  class Cart {
    total = Promise.resolve(3n)
  }
  const data = {
    array: [Promise.resolve(1), 2],
    set: new Set([Promise.resolve('a'), 'b']),
    map: new Map<string, unknown>([['key', Promise.resolve(new Date(0))]]),
    pairs: new Map<unknown, unknown>([[1, Promise.resolve('one')]]),
    bare: Object.assign(Object.create(null), { inner: Promise.resolve(null) }),
    cart: new Cart(),
    bytes: new Uint8Array([1, 2]),
    large: new BigInt64Array([5n]),
  }
  t.equal(
    await toPlainJson(data, () => new Error('late'), 1_000),
    JSON.stringify({
      array: [1, 2],
      set: ['a', 'b'],
      map: { key: new Date(0) },
      pairs: [[1, 'one']],
      bare: { inner: null },
      cart: { total: '3' },
      bytes: [1, 2],
      large: ['5'],
    }),
  )
})
