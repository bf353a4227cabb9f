import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import {
  createDeferredPromises,
  type Flat,
  isThenable,
  RefusalError,
  revive,
  ServerFailure,
} from '../../src/shared/wire/promises.ts'
import { needsUnflatten, serialize } from '../../src/shared/wire/values.ts'
import { findFailing } from '../find-failing.ts'
import { createRandom, type Random } from './random.ts'

const refusePromises = (): number => {
  throw new Error('no promise was expected')
}
const write = (value: unknown) => serialize(value, refusePromises)
// Reads with the matching reader.
const read = (text: string) => revive(JSON.parse(text) as Flat, refusePromises as never)
const travel = (value: unknown) => read(write(value))

t.test('returns the same value', async (t) => {
  const values: Record<string, unknown> = {
    string: 'text',
    'empty string': '',
    'a lone surrogate': '\ud800',
    zero: 0,
    'negative zero': -0,
    'not a number': Number.NaN,
    infinity: Number.POSITIVE_INFINITY,
    'negative infinity': Number.NEGATIVE_INFINITY,
    'a small number': 5e-324,
    true: true,
    null: null,
    undefined: undefined,
    'a big integer': -123456789012345678901234567890n,
    date: new Date(0),
    'a regular expression': /<\/script>/gi,
    map: new Map<unknown, unknown>([
      ['a', 1],
      [{ key: 1 }, new Map()],
    ]),
    set: new Set([1, 'a', undefined]),
    url: new URL('https://shop.example/a?b=%3C#c'),
    'search parameters': new URLSearchParams('a=1&a=2'),
    bytes: Uint8Array.of(0, 1, 255),
    floats: Float64Array.of(0.1, -0),
    'big bytes': BigUint64Array.of(2n ** 63n),
    buffer: Uint8Array.of(1, 2, 3).buffer,
    'a sparse array': Object.assign([1], { 2: 3 }),
    'an array with undefined': [undefined, null],
    'an object with undefined': { a: undefined },
    'an object without prototype': Object.assign(Object.create(null), { a: 1 }),
    'keys like those of the format': { plain: 1, Promise: [1], '0': 'x', length: 3, constructor: 'c', toString: 's' },
    'an array like the format': [-1, 1, { plain: [] }, ['Promise', 1]],
    'an object like the format': { plain: { plain: undefined } },
  }
  const failing = await findFailing(
    Object.values(values).flatMap((value) => [value, { value }, [value], { deep: [{ value }] }]),
    travel,
    (value) => value,
  )
  t.strictSame(failing, [])
})

t.test('returns an invalid date', async (t) => {
  const back = (await travel({ date: new Date(Number.NaN) })) as { date: Date }
  t.type(back.date, Date)
  t.ok(Number.isNaN(back.date.getTime()))
})

t.test('keeps a value that occurs in two places identical', async (t) => {
  const shared = { text: 'x' }
  // The cast is safe because the output has the shape of the input.
  const both = (await travel({ a: shared, b: [shared] })) as { a: object; b: [object] }
  t.equal(both.a, both.b[0])
  const twice = (await travel([shared, shared])) as [object, object]
  t.equal(twice[0], twice[1])
})

t.test('keeps cycles', async (t) => {
  const node: Record<string, unknown> = { name: 'a' }
  node.self = node
  node.list = [node]
  const back = (await travel(node)) as { self: unknown; list: unknown[]; name: string }
  t.equal(back.self, back)
  t.equal(back.list[0], back)
  t.equal(back.name, 'a')
  const map = new Map<string, unknown>()
  map.set('map', map)
  const mapBack = (await travel(map)) as Map<string, unknown>
  t.equal(mapBack.get('map'), mapBack)
})

const BREAKOUTS = [
  '</script>',
  '</SCRIPT >',
  '<script>',
  '<!--',
  '-->',
  ']]>',
  '\u2028',
  '\u2029',
  '\u0000',
  '\\u003c/script>',
  '\\',
  '"',
  "'",
  '`$\u007b1}`',
] as const

t.test('never writes text that could end a script, anywhere', async (t) => {
  const hostile = BREAKOUTS.join('')
  const places: unknown[] = [
    hostile,
    { [hostile]: hostile },
    [hostile],
    new Map([[hostile, hostile]]),
    new Set([hostile]),
    Object.assign(Object.create(null), { [hostile]: 1 }),
    [hostile, -0],
    { deep: { a: undefined, [hostile]: [hostile] } },
    /<!--\u2028<\/script>/,
    new URL('https://shop.example/?q=</script>#<!--'),
    new URLSearchParams({ '<!--': '</script>' }),
  ]
  const texts = places.map((place) => write(place))
  t.strictSame(
    texts.filter((text) => /[<\u2028\u2029]/.test(text)),
    [],
  )
  t.strictSame(await findFailing(places, travel, (place) => place), [])
})

t.test('a key named __proto__ pollutes nothing', async (t) => {
  for (const [text, left] of [
    ['{"a":{"__proto__":{"polluted":true}}}', '{"a":{}}'],
    ['{"__proto__":1,"b":[{"__proto__":null,"c":{"__proto__":{"__proto__":2},"d":3}}]}', '{"b":[{"c":{"d":3}}]}'],
  ] as const) {
    const hostile: unknown = JSON.parse(text)
    t.equal(JSON.stringify(await travel(hostile)), left, 'it stays behind')
    t.equal(JSON.stringify(hostile), text, 'and what was given is as it was')
  }
  const query = Object.assign(Object.create(null), JSON.parse('{"__proto__":"x","a":"1"}'))
  t.strictSame(await travel({ query, at: new Date(0) }), {
    query: Object.assign(Object.create(null), { a: '1' }),
    at: new Date(0),
  })
  let back: unknown
  for (const flat of [
    '[{"__proto__":1},{"polluted":2},true]',
    '[["null","__proto__",1],{"polluted":2},true]',
    '{"plain":{"__proto__":{"polluted":true}}}',
    '[{"constructor":1},{"prototype":2},{"polluted":3},true]',
  ]) {
    try {
      back = await read(flat)
    } catch {
      back = undefined
    }
    t.notOk(back && typeof back === 'object' && 'polluted' in back && !Object.hasOwn(back, '__proto__'), flat)
    t.notOk('polluted' in {}, 'the prototype of all objects is as it was')
  }
})

t.test('refuses values that cannot be serialized and names their position', async (t) => {
  class Cart {
    total = 1
  }
  const values = [
    [{ user: { save() {} } }, '.user.save'],
    [{ list: [1, { f: () => 1 }] }, '.list[1].f'],
    [{ cart: new Cart() }, '.cart'],
    [{ tag: Symbol('x') }, '.tag'],
    [new Map([['key', () => 1]]), '.get("key")'],
    [{ a: [{ [Symbol('key')]: 1 }] }, '.a[0]'],
  ] as const
  const failing = await findFailing(
    values,
    ([value]) => {
      try {
        return write(value)
      } catch (error) {
        const { name, path } = error as Error & { path?: string }
        return [name, path]
      }
    },
    ([, path]) => ['DevalueError', path],
  )
  t.strictSame(failing, [])
  t.throws(() => write(() => 1), { name: 'DevalueError' })
  t.throws(() => write(new Cart()), { name: 'DevalueError' })
})

t.test('an object with its own toJSON is serialized as it is, or not at all', async (t) => {
  t.throws(() => write({ secret: 1, toJSON: () => ({ other: 2 }) }), { name: 'DevalueError' })
})

const KEYS = ['a', 'b', 'plain', '0', '-1', '', ' ', 'constructor', 'ключ', '</script>', '\u2028'] as const

/** Returns data of all kinds. Earlier parts occur again in later ones, including cycles. */
function createData(random: Random, depth: number, made: object[]): unknown {
  const leaf = random.pick([
    () => undefined,
    () => null,
    () => random.below(2) === 1,
    () => random.pick([0, -0, 1, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300]),
    () => random.below(1_000_000) / 7,
    () => BigInt(random.below(1_000_000)) ** 5n,
    () => random.text(random.below(12), 'ab"\\/<>\u2028\u2029\u0000é漢😀\n') + random.pick(BREAKOUTS),
    () => new Date(random.below(2_000_000_000) * 1000),
    () => new URL(`https://shop.example/${random.text(5, 'ab<>%')}`),
    () => random.bytes(random.below(9)),
    () => made[random.below(made.length)],
  ] as const)
  if (depth === 0) return leaf()
  const part = () => createData(random, depth - 1, made)
  const size = random.below(4)
  const keep = <Item extends object>(item: Item, fill: (item: Item) => void): Item => {
    made.push(item)
    for (let index = 0; index < size; index++) fill(item)
    return item
  }
  return random.pick([
    leaf,
    () => keep<unknown[]>([], (list) => list.push(part())),
    () => keep<Record<string, unknown>>({}, (object) => (object[random.pick(KEYS)] = part())),
    () => keep(new Map<unknown, unknown>(), (map) => map.set(random.pick(KEYS), part())),
    () => keep(new Set<unknown>(), (set) => set.add(part())),
  ] as const)()
}

t.test('returns any structure', async (t) => {
  const random = createRandom(4)
  const wrong: string[] = []
  for (let round = 0; round < 3_000; round++) {
    const value = createData(random, 4, [])
    const text = write(value)
    if (/[<\u2028\u2029]/.test(text) || !isDeepStrictEqual(await read(text), value)) wrong.push(text)
  }
  t.strictSame(wrong, [])
})

t.test('hands over each promise once with a number, and returns the promise of that number', async (t) => {
  const [first, second] = [Promise.resolve(1), Promise.resolve(2)]
  const numbers = new Map<PromiseLike<unknown>, number>()
  const text = serialize({ first, list: [second, { first }] }, (promise) => {
    t.notOk(numbers.has(promise))
    numbers.set(promise, numbers.size + 1)
    return numbers.size
  })
  t.equal(numbers.size, 2)
  const promises = new Map([...numbers].map(([promise, id]) => [id, promise]))
  const none = (id: number) => Promise.reject(new Error(`none ${id}`))
  const back = await revive(JSON.parse(text) as Flat, (id) => promises.get(id) ?? none(id))
  t.ok(isDeepStrictEqual(Object.keys(back as object), ['first', 'list']))
  const { first: one, list } = back as { first: unknown; list: [unknown, { first: unknown }] }
  t.equal(one, first)
  t.equal(list[0], second)
  t.equal(list[1].first, first)
})

t.test('promises in data that JSON can represent need no additional reader', async (t) => {
  let lastId = 0
  const write = (value: unknown) => serialize(value, () => ++lastId)
  const one = Promise.resolve(1)
  const plain = write({ list: [{ deep: one }], '</script>': Promise.resolve(2) })
  t.notOk(needsUnflatten(plain))
  t.notMatch(plain, '<')
  t.strictSame(await revive(JSON.parse(plain) as Flat, (id) => id as never), {
    list: [{ deep: 1 }],
    '</script>': 2,
  })
  t.ok(needsUnflatten(write({ one, again: one })), 'one that stands in two places')
  t.ok(needsUnflatten(write({ one, date: new Date() })))
  t.ok(needsUnflatten(write([undefined])))
  t.notOk(needsUnflatten(write(undefined)), 'no data at all')
})

t.test('a promise with its own toJSON, and one that React has marked, are serialized as promises', async (t) => {
  const own = Object.assign(Promise.resolve(), { toJSON: () => 'x', status: 'fulfilled', value: 'y' })
  t.equal(
    serialize({ own }, () => 1),
    '{"plain":{"own":0},"promises":[[1,"own"]]}',
  )
})

t.test('settlements take effect in the order in which they arrive', async (t) => {
  const { promised, settle } = createDeferredPromises()
  const order: number[] = []
  const all = [1, 2, 3].map((id) => promised(id).then(() => order.push(id)))
  void settle([2, 'value', JSON.parse(write(new Date(0))) as Flat])
  void settle([1, 'value', { plain: 1 }])
  await settle([3, 'value', -3])
  await Promise.all(all)
  t.strictSame(order, [2, 1, 3])
  t.match(promised(2), { status: 'fulfilled', value: Date })
})

t.test('a settlement that cannot be read rejects its promise and blocks no other', async (t) => {
  const { promised, settle } = createDeferredPromises()
  void settle([1, 'value', [['Nonsense', 1]]])
  void settle([2, 'value', { plain: 2 }])
  await t.rejects(promised(1), { message: 'Unknown type Nonsense' })
  t.equal(await promised(2), 2)
})

t.test('accepts any thenable as a promise', async (t) => {
  t.ok(isThenable(Promise.resolve()))
  t.ok(isThenable(Object.fromEntries([['then', () => {}]])))
  for (const other of [null, undefined, 1, 'then', {}, Object.fromEntries([['then', 1]]), []])
    t.notOk(isThenable(other))
})

t.test('promises in the browser settle as the server says', async (t) => {
  const { promised, settle } = createDeferredPromises()
  const early = promised(1)
  t.equal(promised(1), early, 'a number has one promise')
  void settle([1, 'value', { plain: { a: 1 } }])
  t.strictSame(await early, { a: 1 })
  t.match(early, { status: 'fulfilled', value: { a: 1 } }, 'marked for React')
  void settle([2, 'failure', '7K3M9QZD-0F4XTB'])
  const failed = promised(2)
  await t.rejects(failed, { name: 'ServerFailure', digest: '7K3M9QZD-0F4XTB' }, 'one that settled before it was read')
  t.match(failed, { status: 'rejected' })
  void settle([3, 'refusal', 403, 'Members only'])
  await t.rejects(promised(3), { name: 'Refusal', status: 403, message: 'Members only' })
  await promised(2).catch((error) => t.type(error, ServerFailure))
  await promised(3).catch((error) => t.type(error, RefusalError))
})

t.test('pending promises reject when nothing more comes, and stay rejected', async (t) => {
  const { promised, settle, failPending } = createDeferredPromises()
  const [settled, pending] = [promised(1), promised(2)]
  void settle([1, 'value', { plain: 1 }])
  failPending(new Error('cut'))
  void settle([2, 'value', { plain: 2 }])
  t.equal(await settled, 1)
  await t.rejects(pending, { message: 'cut' })
  t.match(pending, { status: 'rejected' })
})

t.test('nested promises are serialized too', async (t) => {
  const { promised, settle } = createDeferredPromises()
  let lastId = 0
  const open: { id: number; promise: PromiseLike<unknown> }[] = []
  const defer = (promise: PromiseLike<unknown>) => {
    open.push({ id: ++lastId, promise })
    return lastId
  }
  const text = serialize({ outer: Promise.resolve({ inner: Promise.resolve(new Set(['innermost'])) }) }, defer)
  const back = (await revive(JSON.parse(text) as Flat, promised)) as { outer: Promise<{ inner: Promise<unknown> }> }
  for (const { id, promise } of open) void settle([id, 'value', JSON.parse(serialize(await promise, defer)) as Flat])
  t.strictSame(await (await back.outer).inner, new Set(['innermost']))
  t.equal(lastId, 2)
})

t.test('a failed promise contains only the server’s digest', async (t) => {
  const { promised, settle } = createDeferredPromises()
  void settle([1, 'failure', '7K3M9QZD-0F4XTB'])
  await t.rejects(promised(1), { message: 'Server failure: 7K3M9QZD-0F4XTB' })
})
