import type { SchemaIssue, SchemaResult, StandardSchema } from '../../shared/standard-schema.ts'
import type { FieldRules, FormRules } from '../../shared/wire/boot.ts'
import { isThenable } from '../../shared/wire/promises.ts'
import { createExportError, showValue } from '../errors/hydrant-error.ts'
import { freshStack } from '../util/unknown-values.ts'
import { acceptsEmpty, createShape, type JsonSchema, jsonSchemaOf, type Shape } from './json-schema.ts'

/** The exports of a page's server file that are schemas. */
export const SCHEMA_EXPORTS = ['form', 'search', 'params'] as const

export type SchemaName = (typeof SCHEMA_EXPORTS)[number]

export interface PageSchema {
  name: SchemaName
  /** Path in the site of the server file. */
  file: string
  schema: StandardSchema
  /** The shape of the schema's input; null if the library of the schema does not provide it. */
  shape: Shape | null
  /** The shape of the schema's output; null like that of the input. */
  outputShape: Shape | null
}

/** The schemas of the address of a page. */
export type PageSchemas = Record<Exclude<SchemaName, 'form'>, PageSchema | null>

/** Reads the schemas of the address in a server file. Throws HYD_SCHEMA_INVALID. */
export function createPageSchemas(exports: Readonly<Record<string, unknown>>, file: string): PageSchemas {
  const read = (name: SchemaName) => readSchema(name, exports[name], file)
  return { search: read('search'), params: read('params') }
}

/**
 * Reads a schema of a server file; null for undefined. Throws HYD_SCHEMA_INVALID.
 *
 * @param path Where the schema is in the exports (its name).
 */
export function readSchema(name: SchemaName, value: unknown, file: string, path: string = name): PageSchema | null {
  if (value === undefined) return null
  if (!isStandardSchema(value)) {
    const place = { file, name: path.split('.', 1)[0] ?? path }
    throw createExportError('HYD_SCHEMA_INVALID', [path, file, describeValue(value)], place)
  }
  const shapeOf = (end: 'input' | 'output') => {
    const json = name === 'params' ? null : jsonSchemaOf(value, end)
    return json && createShape(json)
  }
  return { name, file, schema: value, shape: shapeOf('input'), outputShape: shapeOf('output') }
}

/** Returns whether a value is a schema. The schemas of some libraries are functions. */
function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard: unknown = '~standard' in value ? value['~standard'] : undefined
  return typeof standard === 'object' && standard !== null && 'validate' in standard
}

function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object without "~standard"' : showValue(value)
}

/** Returns the rules of a form's fields that a browser can check. Fields without a rule are left out. */
export function createFormRules(shape: Shape | null): FormRules {
  const rules: FormRules = {}

  function add(part: Shape, name: string) {
    if (name !== '') {
      const partRules = part.kind === 'array' ? listRules(part) : fieldRules(part)
      if (Object.keys(partRules).length > 0) rules[name] = partRules
    }
    for (const [key, property] of part.properties) add(property, name === '' ? key : `${name}.${key}`)
    if (part.items) add(part.items, `${name}[]`)
  }

  if (shape) add(shape, '')
  return rules
}

// Leaves out `required`, because it would apply to each checkbox of a group.
function listRules({ items }: Shape): FieldRules {
  if (items?.kind === 'object') return {}
  const { type, accept } = items ? fieldRules(items) : {}
  return { ...(type === 'file' && { type }), ...(accept !== undefined && { accept }), multiple: true }
}

function fieldRules({ kind, isRequired, schema }: Shape): FieldRules {
  const { format, contentEncoding } = schema
  const required = isRequired ? ({ required: true } as const) : {}
  if (kind === 'number') return { ...required, ...numberRules(schema) }
  if (format === 'binary' || contentEncoding === 'binary') return { ...required, type: 'file', ...acceptOf(schema) }
  const isText = kind === 'text' || ['const', 'enum', 'minLength'].some((rule) => rule in schema)
  if (!isText) return {}
  return { ...(acceptsEmpty(schema) ? {} : required), ...textRules(schema) }
}

function acceptOf({ contentMediaType }: JsonSchema): FieldRules {
  return typeof contentMediaType === 'string' ? { accept: contentMediaType } : {}
}

function numberRules({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema) {
  const isWhole = type === 'integer'
  // HTML has no exclusive limits. The limit itself is a little too wide, and the server checks it.
  const min = limitOf(minimum) ?? shift(limitOf(exclusiveMinimum), isWhole ? 1 : 0)
  const max = limitOf(maximum) ?? shift(limitOf(exclusiveMaximum), isWhole ? -1 : 0)
  const rules: FieldRules = { type: 'number' }
  if (min !== undefined) rules.min = min
  if (max !== undefined) rules.max = max
  const step = stepOf(multipleOf, isWhole, min)
  if (step !== undefined) rules.step = step
  return rules
}

// Libraries write the greatest safe integers as limits of every integer.
function limitOf(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined
}

function shift(value: number | undefined, by: number): number | undefined {
  return value === undefined ? undefined : value + by
}

// Browsers count steps from `min`; without it from the value with which the page was loaded, which may be wrong.
function stepOf(multipleOf: unknown, isWhole: boolean, min: number | undefined): number | 'any' | undefined {
  if (isWhole && multipleOf === undefined) return undefined
  return typeof multipleOf === 'number' && multipleOf > 0 && min !== undefined && min % multipleOf === 0
    ? multipleOf
    : 'any'
}

const TYPES: Readonly<Record<string, FieldRules['type']>> = { email: 'email', uri: 'url', date: 'date', time: 'time' }

function textRules({ format, pattern, minLength, maxLength }: JsonSchema): FieldRules {
  const type = typeof format === 'string' && Object.hasOwn(TYPES, format) ? TYPES[format] : undefined
  const rules: FieldRules = type ? { type } : {}
  // Browsers do not check the length of dates.
  if (typeof minLength === 'number' && minLength > 1) rules.minLength = minLength
  if (typeof maxLength === 'number') rules.maxLength = maxLength
  // The pattern of a format is the library's own, and browsers check the format themselves.
  const checked = type || typeof pattern !== 'string' ? null : toHtmlPattern(pattern)
  if (checked !== null) rules.pattern = checked
  return rules
}

/**
 * Returns the `pattern` attribute for a pattern of JSON Schema, which may match anywhere in the text; null if browsers
 * cannot read it. They use the flag `v`, which requires a backslash before some characters.
 */
function toHtmlPattern(pattern: string): string | null {
  const whole = /^\^([^|]*)\$$/s.exec(pattern)?.[1]
  const anchored = whole !== undefined && !whole.endsWith('\\') ? whole : `[\\s\\S]*(?:${pattern})[\\s\\S]*`
  try {
    new RegExp(anchored, 'v')
    return anchored
  } catch {
    return null
  }
}

export type Validated = { isValid: true; value: unknown } | { isValid: false; issues: readonly SchemaIssue[] }

/** Validates a value. Rejects with what the schema throws. */
export async function validate({ schema }: PageSchema, value: unknown): Promise<Validated> {
  await freshStack
  const returned = schema['~standard'].validate(value)
  const result: SchemaResult<unknown> = isThenable(returned) ? await returned : returned
  return result.issues ? { isValid: false, issues: result.issues } : { isValid: true, value: result.value }
}
