import t from 'tap'
import { toPlainJson } from '../../../src/server/render/plain-json.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

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
  await t.rejects(toPlainJson(node, late, 1_000), {
    code: 'HYD_DATA_UNSERIALISABLE',
    message: /data\.list\[0\]\.node, .*: it contains itself/,
  })
  t.equal(await toPlainJson(undefined, late, 1_000), 'null')
  await t.rejects(
    toPlainJson(() => {}, late, 1_000),
    { code: 'HYD_DATA_UNSERIALISABLE' },
  )
})

t.test('plain JSON enters arrays, maps, sets and objects, and awaits the promises in them', async (t) => {
  const data = {
    array: [Promise.resolve(1), 2],
    set: new Set([Promise.resolve('a'), 'b']),
    map: new Map<string, unknown>([['key', Promise.resolve(new Date(0))]]),
    pairs: new Map<unknown, unknown>([[1, Promise.resolve('one')]]),
    bare: Object.assign(Object.create(null), { inner: Promise.resolve(null) }),
    cart: { total: Promise.resolve(3n) },
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

const shared = { a: 1 }

/** A value in data, and its JSON; null for a value that data may not contain. */
const VALUES: readonly [value: () => unknown, json: string | null][] = [
  [() => undefined, '{}'],
  // biome-ignore lint/suspicious/noSparseArray: data may have holes
  [() => [undefined, , 1], '{"v":[null,null,1]}'],
  [() => Number.NaN, '{"v":null}'],
  [() => -Infinity, '{"v":null}'],
  [() => -0, '{"v":0}'],
  [() => 12345678901234567890n, '{"v":"12345678901234567890"}'],
  [() => new Date(0), '{"v":"1970-01-01T00:00:00.000Z"}'],
  [() => new URL('https://a.example/b'), '{"v":"https://a.example/b"}'],
  [() => new URLSearchParams('a=1'), '{"v":"a=1"}'],
  [() => /a/g, '{"v":"/a/g"}'],
  [() => Buffer.from('tea'), '{"v":[116,101,97]}'],
  [() => new Uint16Array([1, 2]), '{"v":[1,2]}'],
  [() => new BigInt64Array([5n]), '{"v":["5"]}'],
  [() => new Uint8Array([1, 2]).buffer, '{"v":[1,2]}'],
  [() => new DataView(new Uint8Array([1, 2, 3]).buffer, 1), '{"v":[2,3]}'],
  [() => new Set(['a', new Date(0)]), '{"v":["a","1970-01-01T00:00:00.000Z"]}'],
  [() => new Map([['a', Buffer.from('A')]]), '{"v":{"a":[65]}}'],
  [
    () =>
      new Map<unknown, unknown>([
        [1n, 'a'],
        [new Date(0), 'b'],
      ]),
    '{"v":[["1","a"],["1970-01-01T00:00:00.000Z","b"]]}',
  ],
  [() => new (class extends Map<string, number> {})([['a', 1]]), '{"v":{"a":1}}'],
  [() => Object.assign(Object.create(null), { a: 1 }), '{"v":{"a":1}}'],
  [() => JSON.parse('{"__proto__":{"a":1},"b":2}'), '{"v":{"__proto__":{"a":1},"b":2}}'],
  [() => [shared, shared], '{"v":[{"a":1},{"a":1}]}'],
  [() => () => 1, null],
  [() => class A {}, null],
  [() => Symbol('a'), null],
  [
    () =>
      new (class Cart {
        total = 1
      })(),
    null,
  ],
  [
    () =>
      new (class Money {
        toJSON() {
          return 1
        }
      })(),
    null,
  ],
  [() => ({ a: 1, toJSON: () => 2 }), null],
  [() => new Error('a'), null],
  [() => new WeakMap(), null],
  [() => new Response('a'), null],
  [
    () =>
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no keys')
          },
        },
      ),
    null,
  ],
  [() => [{ deep: new Map([['a', new Set([() => 1])]]) }], null],
  [() => Promise.resolve({ late: () => 1 }), null],
]

t.test('JSON and the document treat the same data alike', async (t) => {
  const pages = VALUES.map(([value], index) => {
    const load = () => ({ v: value() })
    return [`/v${index}`, { load, action: load }]
  })
  const { app, failuresOf } = await testSite(t, Object.fromEntries(pages))
  const wrong: string[] = []
  for (const [index, [value, json]] of VALUES.entries()) {
    const code = String(value)
    const url = `/v${index}`
    const data = await app.inject({ url, headers: JSON_ONLY })
    const document = await app.inject({ url, headers: HTML })
    const isLate = code.includes('Promise')
    const codes = [data, document].map((response) => failuresOf(response)[0]?.err?.code)
    if (json === null) {
      if (data.statusCode !== 500 || (!isLate && document.statusCode !== 500)) wrong.push(`${code} is accepted`)
      else if (codes.some((one) => one !== 'HYD_DATA_UNSERIALISABLE')) wrong.push(`${code}: ${codes}`)
    } else if (data.body !== json || document.statusCode !== 200)
      wrong.push(`${code}: ${data.body} ${document.statusCode}`)
    if (isLate) continue
    const acted = await app.inject({ method: 'POST', url, headers: JSON_ONLY })
    if (json === null ? acted.statusCode !== 500 : acted.body !== json) wrong.push(`action: ${code}: ${acted.body}`)
  }
  t.strictSame(wrong, [])
})
