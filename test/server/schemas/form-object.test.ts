import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import t from 'tap'
import * as v from 'valibot'
import { z } from 'zod'
import { createFormObject, MAX_DEPTH, writeFieldName } from '../../../src/server/schemas/form-object.ts'
import { createShape, jsonSchemaOf } from '../../../src/server/schemas/json-schema.ts'
import type { StandardSchema } from '../../../src/shared/standard-schema.ts'
import { findFailing } from '../../find-failing.ts'
import { createRandom, type Random } from '../../shared/random.ts'

type Entries = [string, string | File][]

const shapeOf = (schema: StandardSchema) => {
  const json = jsonSchemaOf(schema)
  return json && createShape(json)
}

/** Returns a copy with the ordinary prototype, to compare it. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || value instanceof File) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
}
const read = (entries: Entries, schema?: StandardSchema) =>
  plain(createFormObject(entries, schema ? shapeOf(schema) : null).value)

t.test('names nest, and only the order of indexes counts', async (t) => {
  t.strictSame(
    read([
      ['name', 'x'],
      ['address.city', 'Bern'],
      ['address.street', ''],
      ['items[7].name', 'second'],
      ['items[2].name', 'first'],
      ['items[2].size', 'L'],
    ]),
    { name: 'x', address: { city: 'Bern', street: '' }, items: [{ name: 'first', size: 'L' }, { name: 'second' }] },
  )
})

t.test('values are a list if the name is repeated, ends with [] or belongs to an array of the schema', async (t) => {
  const schema = z.object({ topics: z.array(z.string()), tags: z.array(z.string()).optional(), one: z.string() })
  const entries: Entries = [
    ['topics', 'news'],
    ['one', 'a'],
    ['list[]', 'b'],
    ['twice', 'c'],
    ['twice', 'd'],
  ]
  t.strictSame(read(entries, schema), { topics: ['news'], one: 'a', list: ['b'], twice: ['c', 'd'] })
  t.strictSame(read(entries), { topics: 'news', one: 'a', list: ['b'], twice: ['c', 'd'] })
  t.strictSame(read([['one', 'a']], schema), { one: 'a', topics: [] }, 'no tick in a group that is required')
})

t.test('an empty text is missing where the schema has no use for it', async (t) => {
  const schema = z.object({
    age: z.coerce.number(),
    email: z.email().optional(),
    code: z.string().regex(/^\d+$/).optional(),
    nickname: z.string().optional(),
    title: z.string(),
    mail: z.email(),
    size: z.enum(['S', 'L']).optional(),
  })
  const entries = Object.keys(schema.shape).map((name): [string, string] => [name, ''])
  t.strictSame(read(entries, schema), { nickname: '', title: '', mail: '' })
  t.strictSame(read(entries), Object.fromEntries(entries), 'a schema without JSON Schema')
})

t.test(
  'an empty text is missing in an optional field of an unknown type, unless a text is one of its types',
  async (t) => {
    const schema = z.object({
      born: z.coerce.date().optional(),
      since: z.coerce.date().default(new Date(0)),
      count: z.coerce.bigint().optional(),
      any: z.any().optional(),
      longOrDate: z.union([z.string().min(1), z.coerce.date()]).optional(),
      emailOrNumber: z.union([z.email(), z.coerce.number()]).optional(),
      required: z.coerce.date(),
      emptyOrDate: z.union([z.literal(''), z.coerce.date()]).optional(),
      textOrNumber: z.union([z.string(), z.coerce.number()]).optional(),
      json: z.json().optional(),
    })
    const entries = Object.keys(schema.shape).map((name): [string, string] => [name, ''])
    t.strictSame(read(entries, schema), { required: '', emptyOrDate: '', textOrNumber: '', json: '' })
    const inValibot = toStandardJsonSchema(
      v.object({
        born: v.optional(v.date()),
        email: v.optional(v.union([v.literal(''), v.pipe(v.string(), v.email())])),
      }),
    )
    const inArktype = type({ 'born?': 'Date', 'email?': "''|string.email" })
    for (const schema of [inValibot, inArktype]) {
      const sent: Entries = [
        ['born', ''],
        ['email', ''],
      ]
      t.strictSame(read(sent, schema), { email: '' })
    }
  },
)

t.test('an empty file input is none, and an empty file is one', async (t) => {
  const empty = new File([], 'empty.txt')
  t.strictSame(
    read([
      ['a', new File([], '')],
      ['b', empty],
    ]),
    { b: empty },
  )
})

t.test('no name reaches a prototype', async (t) => {
  const { value } = createFormObject(
    [
      '__proto__',
      '__proto__.polluted',
      'a.__proto__.polluted',
      'a[0].__proto__',
      'constructor',
      'x.constructor.prototype',
    ]
      .filter((name) => name !== 'a[0].__proto__')
      .concat('toString', 'hasOwnProperty', 'b[0].__proto__')
      .map((name) => [name, 'yes']),
    shapeOf(z.looseObject({ a: z.looseObject({}) })),
  )
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  t.equal(Object.getPrototypeOf(value), null)
  t.strictSame(Object.keys(value).sort(), ['constructor', 'hasOwnProperty', 'toString', 'x'])
  t.equal(JSON.stringify(value.x), '{"constructor":{"prototype":"yes"}}')
  t.equal(createFormObject([], null).value.constructor, undefined, 'nothing is inherited')
})

t.test('refuses names that contradict each other or are nested too deeply', async (t) => {
  const contradictions: Entries[] = [
    [
      ['a', '1'],
      ['a.b', '2'],
    ],
    [
      ['a.b', '1'],
      ['a', '2'],
    ],
    [
      ['a[0]', '1'],
      ['a.b', '2'],
    ],
    [
      ['a[0]', '1'],
      ['a', '2'],
    ],
    [
      ['a[]', '1'],
      ['a[0]', '2'],
    ],
  ]
  for (const entries of contradictions)
    t.throws(() => createFormObject(entries, null), { statusCode: 400, message: /contradict/ })
  const name = (depth: number) => Array.from({ length: depth }, () => 'a').join('.')
  t.ok(createFormObject([[name(MAX_DEPTH), 'x']], null))
  t.throws(() => createFormObject([[name(MAX_DEPTH + 1), 'x']], null), { statusCode: 400, message: /20 levels/ })
})

t.test('a great index takes no memory', async (t) => {
  t.strictSame(
    read([
      ['a[999999999]', 'x'],
      ['a[5]', 'y'],
    ]),
    { a: ['y', 'x'] },
  )
})

t.test('an issue has the name of the field that the form has sent', async (t) => {
  const { nameOf } = createFormObject(
    [
      ['items[2].name', ''],
      ['items[7].name', ''],
      ['topics', 'a'],
      ['topics', 'b'],
    ],
    null,
  )
  t.equal(nameOf(['items', 0, 'name']), 'items[2].name')
  t.equal(nameOf(['items', 1, 'size']), 'items[7].size')
  t.equal(nameOf(['items', 4, 'name']), 'items[4].name')
  t.equal(nameOf(['topics', 1]), 'topics')
  t.equal(nameOf(['missing', 'part']), 'missing.part')
  t.equal(nameOf([]), '')
})

t.test('the names of many issues take linear time', async (t) => {
  // Indexes that are sorted again for each issue would take minutes.
  const random = createRandom(1)
  const count = 20_000
  const indexes = new Set(Array.from({ length: count }, () => random.below(999_999_999)))
  const { nameOf } = createFormObject(
    Array.from(indexes, (index): [string, string] => [`items[${index}]`, 'x']),
    null,
  )
  const names = Array.from({ length: indexes.size }, (_, index) => nameOf(['items', index]))
  t.equal(new Set(names).size, indexes.size)
})

function randomValue(random: Random, depth: number): unknown {
  const kind = depth > 3 ? 0 : random.below(4)
  if (kind === 1) return Array.from({ length: 1 + random.below(3) }, () => randomValue(random, depth + 1))
  if (kind === 2)
    return Object.fromEntries(
      Array.from({ length: 1 + random.below(3) }, () => [
        random.pick(['a', 'b', 'constructor', 'toString', 'x y']),
        randomValue(random, depth + 1),
      ]),
    )
  return random.text(random.below(5), 'ab.[]\u0000é')
}

function entriesOf(value: unknown, path: (string | number)[]): [string, string][] {
  if (typeof value === 'string') return [[writeFieldName(path), value]]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value as object)
  return keys.flatMap((key) => entriesOf((value as Record<string | number, unknown>)[key], [...path, key]))
}

t.test('any value that is written as fields is read again', async (t) => {
  const random = createRandom(11)
  const values = Array.from({ length: 2_000 }, () => ({ root: randomValue(random, 0) }))
  const failing = await findFailing(
    values,
    (value) => JSON.stringify(createFormObject(entriesOf(value, []), null).value),
    (value) => JSON.stringify(value),
  )
  t.strictSame(failing, [])
})

t.test('any fields give an object or a refusal', async (t) => {
  const random = createRandom(13)
  const shape = shapeOf(z.object({ a: z.array(z.object({ b: z.string() })), b: z.object({ a: z.coerce.number() }) }))
  const forms = Array.from({ length: 5_000 }, () =>
    Array.from({ length: random.below(6) }, (): [string, string] => [
      random.text(random.below(12), 'ab.[]01') + random.pick(['', '__proto__', '.constructor', '[0]', '[]']),
      '',
    ]),
  )
  let refused = 0
  const failing = await findFailing(
    forms,
    (entries) => {
      try {
        return Object.getPrototypeOf(createFormObject(entries, shape).value)
      } catch (error) {
        if (!(error instanceof Error && 'statusCode' in error && error.statusCode === 400)) throw error
        refused++
        return null
      }
    },
    () => null,
  )
  t.strictSame(failing, [])
  t.ok(refused > 0 && refused < forms.length, `${refused} are refused`)
  t.strictSame(Object.keys(Object.prototype), [])
})
