import { HttpError } from '../thrown/http-error.ts'
import { parseFieldName, writeFieldName } from './field-names.ts'
import type { Shape } from './shape.ts'

/** An object that was made of fields, for a schema. */
export interface FormObject {
  value: Record<string, unknown>
  /** Returns the name of the field at a path of the object. */
  nameOf(path: readonly PropertyKey[]): string
}

/** The maximum depth of the object that the names of fields describe. */
export const MAX_DEPTH = 20

interface Node {
  /** The values of a field, in the order of the form. */
  values: (string | File)[]
  isList: boolean
  /** The parts of a group by their keys: all texts for an object, or all numbers for an array. */
  parts: Map<string | number, Node>
  /** The result of `sortedIndexes`; null until it is needed. No part is added after that. */
  indexes: readonly number[] | null
}

/**
 * Makes an object of the fields of a form or a query:
 *
 * - `a.b` is the property `b` of `a`, and `a[0]` is the first item of `a`. Only the order of the indexes counts.
 * - The values of a name that occurs several times are an array. So are those of a name that ends with `[]`, and
 *   those of a name if the schema requires an array for it.
 * - A text stays a text. An empty text is left out where the schema asks for a number or a boolean, and where the
 *   schema does not require the field and is not known to accept an empty text.
 * - An empty file input is left out, and so is a name that contains `__proto__`.
 *
 * No object has a prototype. Throws an HttpError with 400 for names that contradict each other or are nested too
 * deeply.
 *
 * @param shape The shape of the schema's input; null if it is not known.
 */
export function createFormObject(
  entries: Iterable<readonly [name: string, value: string | File]>,
  shape: Shape | null,
): FormObject {
  const root = createNode()
  for (const [name, value] of entries) {
    if (typeof value === 'string' || value.name !== '' || value.size > 0) addValue(root, name, value)
  }
  return { value: toObject(root, shape), nameOf: (path) => nameAt(root, path) }
}

function createNode(): Node {
  return { values: [], isList: false, parts: new Map(), indexes: null }
}

function addValue(root: Node, name: string, value: string | File) {
  const { path, isList } = parseFieldName(name)
  if (path.includes('__proto__')) return
  if (path.length > MAX_DEPTH)
    throw new HttpError(400, `The name of a field is nested deeper than ${MAX_DEPTH} levels.`)
  const node = path.reduce(enter, root)
  if (node.parts.size > 0) throw contradiction()
  node.values.push(value)
  node.isList ||= isList
}

function enter(node: Node, key: string | number): Node {
  const existing = node.parts.get(key)
  if (existing) return existing
  const [other] = node.parts.keys()
  if (node.values.length > 0 || (other !== undefined && typeof other !== typeof key)) throw contradiction()
  const created = createNode()
  node.parts.set(key, created)
  return created
}

function contradiction(): HttpError {
  return new HttpError(400, 'The names of the fields contradict each other: one of them is a value and also a group.')
}

function toObject({ parts }: Node, shape: Shape | null): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null)
  for (const [key, part] of parts) {
    const value = toValue(part, shape?.properties.get(String(key)) ?? null)
    if (value !== undefined) object[key] = value
  }
  // A browser sends nothing for a group of checkboxes without a tick.
  for (const [key, { kind, isRequired }] of shape?.properties ?? []) {
    if (kind === 'array' && isRequired && !(key in object) && key !== '__proto__') object[key] = []
  }
  return object
}

function toValue(node: Node, shape: Shape | null): unknown {
  if (node.parts.size > 0) {
    if (!isArray(node)) return toObject(node, shape)
    return sortedIndexes(node).map((index) => toValue(node.parts.get(index) ?? createNode(), shape?.items ?? null))
  }
  if (node.isList || node.values.length > 1 || shape?.kind === 'array') return node.values
  const [value] = node.values
  return value === '' && shape?.omitsEmpty ? undefined : value
}

function isArray({ parts }: Node): boolean {
  const [key] = parts.keys()
  return typeof key === 'number'
}

/** Returns the indexes of an array. They are sorted once, because each issue of a schema asks for its name. */
function sortedIndexes(node: Node): readonly number[] {
  node.indexes ??= [...node.parts.keys()].map(Number).sort((a, b) => a - b)
  return node.indexes
}

function nameAt(root: Node, path: readonly PropertyKey[]): string {
  let node: Node | undefined = root
  const named: PropertyKey[] = []
  for (const key of path) {
    // An issue of one value of a list belongs to the field that has sent the list.
    if (node && node.values.length > 0) break
    // The form may have left out indexes.
    const sent: PropertyKey = node && typeof key === 'number' && isArray(node) ? (sortedIndexes(node)[key] ?? key) : key
    named.push(sent)
    node = typeof sent === 'symbol' ? undefined : node?.parts.get(sent)
  }
  return writeFieldName(named)
}
