// The names of form fields and query parameters as paths in an object: `items[0].name` is ['items', 0, 'name'].

export type FieldPath = readonly (string | number)[]

export interface ParsedName {
  path: FieldPath
  /** Whether the name ends with `[]`: its values are a list, however many there are. */
  isList: boolean
}

const NAME = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,9}])*(?:\[])?$/
const SEGMENT = /([^.[\]]+)|\[(\d+)]/g

/** Longer names are not parsed. With several megabytes the expression throws, because it runs out of stack. */
const MAX_LENGTH = 100_000

/**
 * Parses the name of a field. A name that does not follow the syntax, or has more than 100,000 characters, is a path with
 * one key: the name itself.
 */
export function parseFieldName(name: string): ParsedName {
  if (name.length > MAX_LENGTH || !NAME.test(name)) return { path: [name], isList: false }
  const isList = name.endsWith('[]')
  const path = Array.from(name.matchAll(SEGMENT), ([, key, index]) => key ?? Number(index))
  return { path, isList }
}

/** Returns the name of the field at a path. The empty path has the empty name. */
export function writeFieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`
    return name === '' ? String(key) : `${name}.${String(key)}`
  }, '')
}
