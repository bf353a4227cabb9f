import { alternativesOf, isSchema, type JsonSchema, propertiesOf, requiredOf, simplify } from './json-schema.ts'

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

/** Returns the shape of a JSON Schema. */
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

/** Returns whether a schema is for texts, and the empty one is one of them. */
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
