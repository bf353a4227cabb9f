import { type FieldPath, writeFieldName } from './field-names.ts'
import type { Shape } from './shape.ts'

/** A part of a field's name that a schema does not have. */
interface UnknownField {
  /** The first unknown name. */
  name: string
  /** The fields beside it. */
  known: string[]
  /** Returns the name of the whole field with another name in its place. */
  replaceBy(name: string): string
}

/**
 * Returns the first name in a path that the schema of a form does not have. Returns null if there is none, or if the
 * schema accepts other names.
 */
export function findUnknownField(shape: Shape, path: FieldPath): UnknownField | null {
  let current: Shape | null = shape
  for (const [index, key] of path.entries()) {
    if (current === null) return null
    if (typeof key === 'number') current = current.kind === 'array' ? current.items : null
    else {
      // The schema accepts names that it does not list.
      if (current.kind !== 'object' || current.properties.size === 0 || current.schema.additionalProperties) return null
      const known: string[] = [...current.properties.keys()]
      const replaceBy = (name: string) => writeFieldName(path.with(index, name))
      if (!known.includes(key)) return { name: key, known, replaceBy }
      current = current.properties.get(key) ?? null
    }
  }
  return null
}
