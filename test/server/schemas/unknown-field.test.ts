import t from 'tap'
import { z } from 'zod'
import { findUnknownField } from '../../../src/server/schemas/form-object.ts'
import { createShape, jsonSchemaOf } from '../../../src/server/schemas/json-schema.ts'
import type { StandardSchema } from '../../../src/shared/standard-schema.ts'

function find(schema: StandardSchema, path: (string | number)[]) {
  const found = findUnknownField(createShape(jsonSchemaOf(schema) ?? {}), path)
  return found && [found.name, found.replaceBy('x'), found.known]
}

t.test('finds the first name that a schema does not have', async (t) => {
  const schema = z.object({ name: z.string(), items: z.array(z.object({ title: z.string() })), all: z.any() })
  t.equal(find(schema, ['name']), null)
  t.equal(find(schema, ['items', 3, 'title']), null)
  t.strictSame(find(schema, ['nmae']), ['nmae', 'x', ['name', 'items', 'all']])
  t.strictSame(find(schema, ['items', 3, 'titel']), ['titel', 'items[3].x', ['title']])
})

t.test('accepts a name that a schema may have', async (t) => {
  t.equal(find(z.object({ all: z.any() }), ['all', 'inner']), null)
  t.equal(find(z.looseObject({ name: z.string() }), ['other']), null)
  t.equal(find(z.record(z.string(), z.string()), ['other']), null)
  const union = z.discriminatedUnion('step', [
    z.object({ step: z.literal('a'), one: z.string() }),
    z.object({ step: z.literal('b'), two: z.string() }),
  ])
  for (const name of ['one', 'two', 'step']) t.equal(find(union, [name]), null, name)
})
