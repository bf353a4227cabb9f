import type { StandardSchema } from '../../shared/standard-schema.ts'

/** A JSON Schema, or a part of one. Any library may have written it, so every property may have any type. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** With these options zod and valibot leave out the rules that JSON Schema cannot express, in place of throwing. */
const LENIENT = { unrepresentable: 'any', errorMode: 'ignore' }

/** Returns the JSON Schema of a schema's input or output, if its library implements Standard JSON Schema; else null. */
export function jsonSchemaOf(schema: StandardSchema, end: 'input' | 'output' = 'input'): JsonSchema | null {
  // The property belongs to a second standard (https://standardschema.dev/json-schema).
  const { jsonSchema } = schema['~standard'] as {
    jsonSchema?: Partial<Record<typeof end, (options: object) => unknown>>
  }
  try {
    const written = jsonSchema?.[end]?.({ target: 'draft-2020-12', libraryOptions: LENIENT })
    return isSchema(written) ? written : null
  } catch {
    // The library cannot express this schema.
    return null
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function schemasIn(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

/** Returns the named schemas of `properties`, without `__proto__`. */
function propertiesOf({ properties }: JsonSchema): [name: string, schema: JsonSchema][] {
  if (!isSchema(properties)) return []
  return Object.entries(properties).flatMap(([name, schema]) =>
    isSchema(schema) && name !== '__proto__' ? [[name, schema] as [string, JsonSchema]] : [],
  )
}

function requiredOf({ required }: JsonSchema): ReadonlySet<unknown> {
  return new Set(Array.isArray(required) ? required : [])
}

/** The most schemas that refer to each other in a row. */
const MAX_REFERENCES = 20

/** Resolves `$ref`, `allOf` and nullable alternatives. Of other alternatives, keeps the rules that all have. */
function simplify(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  if (depth > MAX_REFERENCES) return {}
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema
  let simple: JsonSchema = rest
  if (typeof $ref === 'string') simple = { ...simplify(lookUp($ref, root), root, depth + 1), ...simple }
  for (const part of schemasIn(allOf)) simple = combine(simple, simplify(part, root, depth + 1))
  for (const alternatives of [anyOf, oneOf]) {
    const parts = schemasIn(alternatives).map((part) => simplify(part, root, depth + 1))
    const others = parts.filter(({ type }) => type !== 'null')
    if (others.length > 0) simple = combine(simple, others.reduce(common))
  }
  if (!Array.isArray(simple.type)) return simple
  const types = simple.type.filter((type) => type !== 'null')
  return { ...simple, type: types.length === 1 ? types[0] : undefined }
}

/** Returns the schemas of which a value has to fit one: the alternatives of a schema, or the schema itself. */
function alternativesOf(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema[] {
  if (depth > MAX_REFERENCES) return []
  const { $ref, anyOf, oneOf } = schema
  const parts = [...(typeof $ref === 'string' ? [lookUp($ref, root)] : []), ...schemasIn(anyOf), ...schemasIn(oneOf)]
  return parts.length === 0 ? [schema] : parts.flatMap((part) => alternativesOf(part, root, depth + 1))
}

function lookUp(reference: string, root: JsonSchema): JsonSchema {
  if (!reference.startsWith('#')) return {}
  let found: unknown = root
  for (const key of reference.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    found = isSchema(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return isSchema(found) ? found : {}
}

/** Returns the schema of values that fit both. */
function combine(first: JsonSchema, second: JsonSchema): JsonSchema {
  const properties = Object.fromEntries([...propertiesOf(first), ...propertiesOf(second)])
  const required = [...requiredOf(first), ...requiredOf(second)]
  return { ...first, ...second, ...(Object.keys(properties).length > 0 && { properties, required }) }
}

/** Returns the rules that two alternatives have in common. */
function common(first: JsonSchema, second: JsonSchema): JsonSchema {
  if (first.type === 'object' && second.type === 'object') return commonObject(first, second)
  const choices = [...choicesOf(first), ...choicesOf(second)]
  if (choicesOf(first).length > 0 && choicesOf(second).length > 0) return { type: first.type, enum: choices }
  const same = sameEntries(first, second)
  // Each of them refuses an empty text, maybe by another rule.
  return refusesEmpty(first) && refusesEmpty(second) ? { minLength: 1, ...same } : same
}

function refusesEmpty(schema: JsonSchema): boolean {
  return schema.type === 'number' || schema.type === 'integer' || !acceptsEmpty(schema)
}

function commonObject(first: JsonSchema, second: JsonSchema): JsonSchema {
  const others = new Map(propertiesOf(second))
  // A property of only one alternative has its shape: an array stays an array. It is not required.
  const properties = Object.fromEntries([
    ...others,
    ...propertiesOf(first).map(([name, schema]) => {
      const other = others.get(name)
      return [name, other ? common(schema, other) : schema] as const
    }),
  ])
  const required = [...requiredOf(first)].filter((name) => requiredOf(second).has(name))
  return { type: 'object', properties, required }
}

function choicesOf(schema: JsonSchema): unknown[] {
  if (Array.isArray(schema.enum)) return schema.enum
  return 'const' in schema ? [schema.const] : []
}

function sameEntries(first: JsonSchema, second: JsonSchema): JsonSchema {
  const same = Object.entries(first).filter(([key, value]) => JSON.stringify(value) === JSON.stringify(second[key]))
  return Object.fromEntries(same)
}

/** The part of a schema that Hydrant knows: where its input has arrays and groups, and what is required. */
export interface Shape {
  kind: 'object' | 'array' | 'text' | 'number' | 'boolean' | 'any'
  /** Whether the object around it needs it. */
  isRequired: boolean
  /** Whether an empty text means that the value is missing. */
  omitsEmpty: boolean
  /** The schema itself, without references and alternatives. */
  schema: JsonSchema
  properties: ReadonlyMap<string, Shape>
  items: Shape | null
}

/** A schema may refer to itself. Forms are a few levels deep. */
const MAX_DEPTH = 6
const MAX_SHAPES = 1_000

export function createShape(root: JsonSchema): Shape {
  let count = 0

  function read(given: JsonSchema, isRequired: boolean, depth: number): Shape {
    count++
    const schema = simplify(given, root)
    const kind = kindOf(schema)
    const isOpen = depth < MAX_DEPTH && count < MAX_SHAPES
    const required = requiredOf(schema)
    const properties = new Map(
      isOpen ? propertiesOf(schema).map(([name, part]) => [name, read(part, required.has(name), depth + 1)]) : [],
    )
    const items = isOpen && isSchema(schema.items) ? read(schema.items, false, depth + 1) : null
    const accepts = kind === 'any' ? alternativesOf(given, root).some(isForEmpty) : acceptsEmpty(schema)
    const omitsEmpty = kind === 'number' || kind === 'boolean' || (!isRequired && !accepts)
    return { kind, isRequired, omitsEmpty, schema, properties, items }
  }

  return read(root, true, 0)
}

function kindOf({ type, properties }: JsonSchema): Shape['kind'] {
  switch (type) {
    case 'object':
    case 'array':
    case 'number':
    case 'boolean':
      return type
    case 'integer':
      return 'number'
    case 'string':
      return 'text'
    default:
      return isSchema(properties) ? 'object' : 'any'
  }
}

/** Returns whether a schema for texts accepts the empty one. A schema that says nothing about it accepts it. */
export function acceptsEmpty(schema: JsonSchema): boolean {
  const { minLength, format, pattern } = schema
  if (typeof minLength === 'number' && minLength > 0) return false
  if (Array.isArray(schema.enum) && !schema.enum.includes('')) return false
  if ('const' in schema && schema.const !== '') return false
  if (typeof pattern === 'string') return matchesEmpty(pattern)
  return typeof format !== 'string'
}

function isForEmpty(schema: JsonSchema): boolean {
  const isForTexts = [schema.type].flat().includes('string') || 'const' in schema || Array.isArray(schema.enum)
  return isForTexts && acceptsEmpty(schema)
}

function matchesEmpty(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test('')
  } catch {
    return true
  }
}
