import type { StandardSchema } from '../../shared/standard-schema.ts'
import type { FormRules } from '../../shared/wire/field-rules.ts'
import { createExportError } from '../errors/export-error.ts'
import { showValue } from '../errors/hydrant-error.ts'
import { createFormRules } from './form-rules.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { createShape, type Shape } from './shape.ts'

/** The exports of a page's server file that are schemas. */
export const SCHEMA_EXPORTS = ['form', 'search', 'params'] as const

export type SchemaName = (typeof SCHEMA_EXPORTS)[number]

/** A schema that a page's server file exports. */
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

export interface PageSchemas extends Record<SchemaName, PageSchema | null> {
  /** The rules of the form's fields; null for a page without `form`. */
  rules: FormRules | null
}

/** Reads the schemas of a server file. Throws HYD_SCHEMA_INVALID. */
export function createPageSchemas(exports: Readonly<Record<string, unknown>>, file: string): PageSchemas {
  const read = (name: SchemaName) => readSchema(name, exports[name], file)
  const form = read('form')
  return { form, search: read('search'), params: read('params'), rules: form && createFormRules(form.shape) }
}

function readSchema(name: SchemaName, value: unknown, file: string): PageSchema | null {
  if (value === undefined) return null
  if (!isStandardSchema(value))
    throw createExportError('HYD_SCHEMA_INVALID', [name, file, describeValue(value)], { file, name })
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
