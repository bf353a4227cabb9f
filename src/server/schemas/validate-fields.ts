import { createFormObject } from './form-object.ts'
import { type Issue, keysOf, toIssues } from './issues.ts'
import type { PageSchema } from './page-schemas.ts'
import type { Shape } from './shape.ts'
import { validate } from './validate.ts'

export type ValidatedFields = { isValid: true; value: unknown } | { isValid: false; issues: readonly Issue[] }

/**
 * Validates the fields of a form or a query. If the schema transforms a text that it does not require, only the
 * transformation knows whether the empty text can be one. If the schema refuses it, the text counts as missing.
 * Rejects with what the schema throws.
 */
export async function validateFields(
  schema: PageSchema,
  entries: Iterable<readonly [name: string, value: string | File]>,
): Promise<ValidatedFields> {
  const { shape, outputShape } = schema
  const { value, nameOf } = createFormObject(entries, shape)
  const first = await validate(schema, value)
  if (first.isValid) return first
  const issues = toIssues(first.issues, nameOf)
  const omitted = first.issues.map(keysOf).filter((path) => omitEmpty(value, path, shape, outputShape))
  if (omitted.length === 0) return { isValid: false, issues }
  const second = await validate(schema, value)
  if (second.isValid) return second
  const names = new Set(omitted.map(nameOf))
  const others = toIssues(second.issues, nameOf)
  // A schema that needs the field after all has a better message for the text than for its absence.
  return { isValid: false, issues: others.some(({ path }) => names.has(path)) ? issues : others }
}

/** Removes a text that is empty, transformed and not required. Returns whether it has removed one. */
function omitEmpty(
  group: unknown,
  [key = '', ...rest]: readonly PropertyKey[],
  shape: Shape | null,
  outputShape: Shape | null,
): boolean {
  if (typeof group !== 'object' || group === null) return false
  const part = partOf(shape, key)
  const outputPart = partOf(outputShape, key)
  const value: unknown = Reflect.get(group, key)
  if (rest.length > 0) return omitEmpty(value, rest, part, outputPart)
  const isOptional = part?.isRequired === false && !Array.isArray(group)
  return value === '' && isOptional && outputPart?.kind !== 'text' && Reflect.deleteProperty(group, key)
}

function partOf(shape: Shape | null, key: PropertyKey): Shape | null {
  return (typeof key === 'number' ? shape?.items : shape?.properties.get(String(key))) ?? null
}
