import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import t from 'tap'
import * as v from 'valibot'
import { z } from 'zod'
import { actionsOf } from '../../../src/server/build-output/module-exports.ts'
import { createPageSchemas } from '../../../src/server/schemas/page-schemas.ts'
import { findFailing } from '../../find-failing.ts'

const rulesOf = (form: unknown) => actionsOf({ file: 'pages/x.server.ts', exports: { form } }).rules?.['']

t.test('a field is required where every branch of a union requires it', async (t) => {
  const required = { required: true }
  const zod = z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('a'),
      title: z.string().min(1),
      email: z.email(),
      amount: z.coerce.number(),
      mixed: z.number(),
      optional: z.string().optional(),
      only: z.string().min(1),
      empty: z.string().min(2),
    }),
    z.object({
      kind: z.literal('b'),
      title: z.string().min(5),
      email: z.string().min(1),
      amount: z.int().min(3),
      mixed: z.string().min(1),
      optional: z.string().min(1),
      empty: z.string(),
    }),
    z.object({
      kind: z.literal('c'),
      title: z.string().min(3),
      email: z.string().regex(/./),
      amount: z.number(),
      mixed: z.enum(['x', 'y']),
      optional: z.string().min(1),
      empty: z.string(),
    }),
  ])
  const expected = { kind: required, title: required, email: required, amount: required, mixed: required }
  t.strictSame(rulesOf(zod), expected)
  const ark = type({ kind: "'a'", email: 'string.email' }).or({ kind: "'b'", email: 'string > 1' })
  t.strictSame(rulesOf(ark), { kind: required, email: required })
  const variant = v.variant('kind', [
    v.object({ kind: v.literal('a'), text: v.pipe(v.string(), v.minLength(1)) }),
    v.object({ kind: v.literal('b'), text: v.pipe(v.string(), v.email()) }),
  ])
  t.strictSame(rulesOf(toStandardJsonSchema(variant)), { kind: required, text: required })
})

t.test('zod', async (t) => {
  const rules = rulesOf(
    z.object({
      email: z.email(),
      name: z.string().trim().min(2).max(10),
      title: z.string(),
      nickname: z.string().min(1).optional(),
      code: z.string().regex(/^[a-z]+$/),
      part: z.string().regex(/a|b/),
      age: z.coerce.number().int().min(18).max(99),
      price: z.coerce.number().positive().optional(),
      even: z.coerce.number().min(4).multipleOf(2),
      count: z.coerce.number().int(),
      due: z.iso.date(),
      site: z.url().optional(),
      terms: z.literal('on'),
      size: z.enum(['S', 'L']),
      topics: z.array(z.enum(['a', 'b'])).min(1),
      photo: z.file().mime('image/png').max(1000),
      photos: z.array(z.file()),
      when: z.coerce.date(),
      maybe: z.string().max(3).nullable(),
      address: z.object({ city: z.string().min(1) }),
      items: z.array(z.object({ name: z.string().min(3) })),
    }),
  )
  t.strictSame(rules, {
    email: { required: true, type: 'email' },
    name: { required: true, minLength: 2, maxLength: 10 },
    code: { required: true, pattern: '[a-z]+' },
    part: { required: true, pattern: '[\\s\\S]*(?:a|b)[\\s\\S]*' },
    age: { required: true, type: 'number', min: 18, max: 99 },
    price: { type: 'number', min: 0, step: 'any' },
    even: { required: true, type: 'number', min: 4, step: 2 },
    count: { required: true, type: 'number' },
    due: { required: true, type: 'date' },
    site: { type: 'url' },
    terms: { required: true },
    size: { required: true },
    topics: { multiple: true },
    photo: { required: true, type: 'file', accept: 'image/png' },
    photos: { type: 'file', multiple: true },
    'photos[]': { type: 'file' },
    maybe: { maxLength: 3 },
    'address.city': { required: true },
    'items[].name': { required: true, minLength: 3 },
  })
})

t.test('arktype', async (t) => {
  const rules = rulesOf(
    type({ email: 'string.email', name: '2 <= string <= 10', 'site?': 'string.url', topics: "('a' | 'b')[]" }),
  )
  t.strictSame(rules, {
    email: { required: true, type: 'email' },
    name: { required: true, minLength: 2, maxLength: 10 },
    site: { type: 'url' },
    topics: { multiple: true },
  })
})

t.test('valibot has rules with its package for JSON Schema', async (t) => {
  const schema = v.object({
    email: v.pipe(v.string(), v.email()),
    topics: v.array(v.string()),
    file: v.optional(v.file()),
  })
  t.strictSame(rulesOf(schema), {})
  t.strictSame(rulesOf(toStandardJsonSchema(schema)), {
    email: { required: true, type: 'email' },
    topics: { multiple: true },
  })
})

t.test('alternatives leave the rules that all of them have', async (t) => {
  const rules = rulesOf(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('person'), name: z.string().min(2), age: z.coerce.number() }),
      z.object({ kind: z.literal('company'), name: z.string().min(2).max(9), seats: z.array(z.string()) }),
    ]),
  )
  t.strictSame(rules, {
    kind: { required: true },
    name: { required: true, minLength: 2 },
    age: { type: 'number', step: 'any' },
    seats: { multiple: true },
  })
})

t.test('a schema that refers to itself ends', async (t) => {
  const node = z.object({
    name: z.string().min(1),
    get parts() {
      return z.array(node)
    },
  })
  const rules = rulesOf(node)
  t.match(rules, { name: { required: true }, 'parts[].name': { required: true }, 'parts[].parts[].name': {} })
  t.ok(Object.keys(rules ?? {}).length < 20)
})

t.test('no JSON Schema can make it throw', async (t) => {
  const parts = [
    null,
    1,
    'x',
    [],
    {},
    { $ref: '#' },
    { $ref: '#/$defs/a' },
    { type: [] },
    { anyOf: [1, {}] },
    { allOf: 1 },
  ]
  const keys = ['properties', 'items', 'anyOf', 'allOf', 'required', 'type', '$ref', 'enum', 'pattern', '$defs']
  const failing = await findFailing(
    parts.flatMap((part) => keys.map((key) => [key, part] as const)),
    ([key, part]) => {
      const json = { type: 'object', properties: { a: { [key]: part }, b: part }, [key]: part }
      const form = {
        '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }), jsonSchema: { input: () => json } },
      }
      return typeof rulesOf(form)
    },
    () => 'object',
  )
  t.strictSame(failing, [])
})

t.test('only a schema is a schema', async (t) => {
  for (const [form, came] of [
    [() => {}, 'a function'],
    [{}, 'an object without "~standard"'],
    [[], 'an array'],
    ['x', '"x"'],
    [null, 'null'],
  ]) {
    t.throws(() => rulesOf(form), {
      code: 'HYD_SCHEMA_INVALID',
      message: `the export "form" of pages/x.server.ts must be a Standard Schema; got ${came}`,
    })
  }
  t.strictSame(createPageSchemas({}, 'x'), { search: null, params: null })
  t.equal(rulesOf(undefined), undefined)
})
