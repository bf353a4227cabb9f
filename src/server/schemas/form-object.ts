import { HttpError } from '../errors/http-error.ts'
import { type Issue, keysOf, toIssues } from './issues.ts'
import type { Shape } from './json-schema.ts'
import { type PageSchema, validate } from './page-schemas.ts'

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
) {
  const root = createNode()
  for (const [name, value] of entries) {
    if (typeof value === 'string' || value.name !== '' || value.size > 0) addValue(root, name, value)
  }
  return {
    value: toObject(root, shape),
    /** Returns the name of the field at a path of the object. */
    nameOf: (path: readonly PropertyKey[]) => nameAt(root, path),
  }
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

// The names of form fields and query parameters as paths in an object: `items[0].name` is ['items', 0, 'name'].

type FieldPath = readonly (string | number)[]

export interface ParsedName {
  path: FieldPath
  /** Whether the name ends with `[]`: its values are a list, however many there are. */
  isList: boolean
}

const NAME = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,9}])*(?:\[])?$/
const SEGMENT = /([^.[\]]+)|\[(\d+)]/g

/** Longer names are not parsed. With several megabytes the expression throws, because it runs out of stack. */
const MAX_LENGTH = 100_000

/** Parses a field's name. A name with another syntax, or over 100,000 characters, is a path with one key. */
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

/** A part of a field's name that a schema does not have. */
interface UnknownField {
  /** The first unknown name. */
  name: string
  /** The fields beside it. */
  known: string[]
  /** Returns the name of the whole field with another name in its place. */
  replaceBy(name: string): string
}

/** Returns the first name in a path that a schema lacks; null if there is none, or if it accepts other names. */
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
