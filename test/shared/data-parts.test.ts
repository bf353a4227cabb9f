import t from 'tap'
import { forEachPart, mapParts } from '../../src/shared/wire/values.ts'

function partsOf(value: object): unknown[] {
  const parts: unknown[] = []
  forEachPart(value, (part, key) => parts.push([key, part]))
  return parts
}

t.test('the parts of arrays, maps, sets and all other objects', async (t) => {
  class Cart {
    total = 1
    #secret = 2
    get twice() {
      return this.#secret
    }
  }
  for (const [value, parts] of [
    [
      ['a', 'b'],
      [
        [0, 'a'],
        [1, 'b'],
      ],
    ],
    [
      new Set(['a', 'b']),
      [
        [0, 'a'],
        [1, 'b'],
      ],
    ],
    [
      new Map([
        ['key', 'a'],
        ['other', 'b'],
      ]),
      [
        [0, 'a'],
        [1, 'b'],
      ],
    ],
    [
      { a: 1, b: undefined },
      [
        ['a', 1],
        ['b', undefined],
      ],
    ],
    [Object.assign(Object.create(null), { a: 1 }), [['a', 1]]],
    [new Cart(), [['total', 1]]],
    [new Date(0), []],
    [new Uint8Array([1, 2]), []],
    [new DataView(new ArrayBuffer(2)), []],
  ] as const) {
    t.strictSame(partsOf(value), parts)
  }
})

t.test('copies of containers have the mapped parts', async (t) => {
  const double = (part: unknown, key: string | number) => `${key}:${part}`
  t.strictSame(mapParts(['a', 'b'], double), ['0:a', '1:b'])
  t.strictSame(mapParts(new Set(['a']), double), new Set(['0:a']))
  t.strictSame(mapParts(new Map([[{ id: 1 }, 'a']]), double), new Map([[{ id: 1 }, '0:a']]))
  t.strictSame(mapParts({ x: 'a' }, double), { x: 'x:a' })
  const bare = mapParts(Object.assign(Object.create(null), { x: 'a' }), double)
  t.equal(Object.getPrototypeOf(bare), null)
  t.equal((bare as { x: unknown }).x, 'x:a')
  const before: object[] = []
  const copy = mapParts(
    [1],
    () => before[0],
    (created) => before.push(created),
  ) as unknown[]
  t.equal(copy[0], copy, 'the copy exists before its parts')
})

t.test('other objects are not copied', async (t) => {
  class List extends Map {}
  for (const value of [new Date(0), new URL('https://a.example/'), new Uint8Array(1), new List(), new (class {})()])
    t.equal(
      mapParts(value, () => 'x'),
      value,
    )
})

t.test('a property named __proto__ stays a property', async (t) => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as object
  const copy = mapParts(hostile, (part) => part)
  t.equal(JSON.stringify(copy), '{"__proto__":{"polluted":true}}')
  t.notOk('polluted' in copy)
})
