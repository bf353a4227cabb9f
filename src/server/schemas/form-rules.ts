import type { FieldRules, FormRules } from '../../shared/wire/field-rules.ts'
import type { JsonSchema } from './json-schema.ts'
import { acceptsEmpty, type Shape } from './shape.ts'

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
  if (kind !== 'text' && !('const' in schema) && !Array.isArray(schema.enum)) return {}
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
