// Writes the format that promises.ts describes and reads. If both were in one file, bundlers would add devalue to every
// page.

import { defaultStringifyOperations, stringify } from 'devalue'
import { escapeScript } from './html.ts'
import { isThenable, type Path } from './promises.ts'

/**
 * Writes a value as JSON that is safe inside a script. `defer` is called for each promise and returns its number (1 or
 * more). A key named `__proto__` is left out. Throws a `DevalueError` with a `path` for a value that cannot be
 * serialized.
 */
export function serialize(value: unknown, defer: (promise: PromiseLike<unknown>) => number): string {
  if (value === undefined) return '{}'
  const found: Found = { objects: new Set(), hasPromise: false }
  if (!isPlain(value, found) || isThenable(value)) {
    const reducers = { Promise: (part: unknown) => isThenable(part) && defer(part) }
    return escapeScript(stringify(value, reducers, { operations: { shapeOf: shapeWithoutProto } }))
  }
  if (!found.hasPromise) return plainJson(value)
  const promises: [number, ...Path][] = []
  const plain = liftPromises(value, [], (promise, path) => promises.push([defer(promise), ...path]))
  return escapeScript(JSON.stringify({ plain, promises }))
}

/**
 * Writes a value as `serialize` does, if JSON can represent it and it holds no promise. Returns null for other values.
 */
export function serializePlain(value: unknown): string | null {
  if (value === undefined) return '{}'
  const found: Found = { objects: new Set(), hasPromise: false }
  return isPlain(value, found) && !found.hasPromise ? plainJson(value) : null
}

function plainJson(value: unknown): string {
  return `{"plain":${escapeScript(JSON.stringify(value))}}`
}

/** Returns whether the browser needs the module `unflatten.ts` to read this result of `serialize`. */
export function needsUnflatten(serialized: string): boolean {
  return !serialized.startsWith('{')
}

interface Found {
  objects: Set<object>
  hasPromise: boolean
}

// Returns whether parsed JSON would be the same value, apart from promises. It would not if JSON leaves a part out
// (undefined), changes it (-0, a Date) or duplicates it (an object that occurs twice), nor with the key `__proto__`.
function isPlain(value: unknown, found: Found): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || found.objects.has(value)) return false
  found.objects.add(value)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], found)) return false
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    found.hasPromise = true
    return isThenable(value)
  }
  if (Object.getOwnPropertySymbols(value).length > 0) return false
  // `in` yields own properties only: a plain object inherits none that are enumerable.
  const object = value as Record<string, unknown>
  for (const key in object) {
    if (key === '__proto__' || key === 'toJSON' || !isPlain(object[key], found)) return false
  }
  return true
}

// Only visitors send a key named `__proto__`, in a query or a form that a page returns. Devalue throws for it, and a
// visitor's input must not be a failure: see decision 003.
function shapeWithoutProto(value: unknown): ReturnType<typeof defaultStringifyOperations.shapeOf> {
  const shape = defaultStringifyOperations.shapeOf(value)
  if (!('keys' in shape) || !shape.keys.includes('__proto__')) return shape
  return { kind: shape.kind, keys: shape.keys.filter((key) => key !== '__proto__') }
}

/** Copies plain data and puts 0 in the place of each promise. */
function liftPromises(
  value: unknown,
  path: Path,
  lift: (promise: PromiseLike<unknown>, path: Path) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!isThenable(value)) return mapParts(value, (part, key) => liftPromises(part, [...path, key], lift))
  lift(value, path)
  return 0
}

// The parts of the objects in a load's data. Every function that walks through data uses these two functions.

/**
 * Calls `onPart` for each part of an object: the items of an array or a set, the values of a map, and the enumerable
 * properties of any other object. `key` is the name of the property, or the index. Binary data has no parts.
 */
export function forEachPart(value: object, onPart: (part: unknown, key: string | number) => void) {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) onPart(value[index], index)
  } else if (value instanceof Map || value instanceof Set) {
    let index = 0
    for (const part of value.values()) onPart(part, index++)
  } else if (!ArrayBuffer.isView(value)) {
    const object = value as Record<string, unknown>
    for (const key of Object.keys(object)) onPart(object[key], key)
  }
}

/**
 * Returns a copy of an array, a map, a set or a plain object, with the parts that `map` returns. Returns any other
 * object itself: a copy of a class instance would lose its private fields.
 *
 * @param onCreated Called with the copy before its first part is mapped, for data that contains itself.
 */
export function mapParts(
  value: object,
  map: (part: unknown, key: string | number) => unknown,
  onCreated: (copy: object) => void = () => {},
): object {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    onCreated(copy)
    forEachPart(value, (part, key) => copy.push(map(part, key)))
    return copy
  }
  if (value instanceof Set && prototype === Set.prototype) {
    const copy = new Set<unknown>()
    onCreated(copy)
    forEachPart(value, (part, key) => copy.add(map(part, key)))
    return copy
  }
  if (value instanceof Map && prototype === Map.prototype) {
    const copy = new Map<unknown, unknown>()
    onCreated(copy)
    let index = 0
    for (const [key, part] of value) copy.set(key, map(part, index++))
    return copy
  }
  if (prototype !== Object.prototype && prototype !== null) return value
  // The spread defines `__proto__` as a property; an assignment to a copy without it would set the prototype.
  const copy: Record<string, unknown> = prototype === null ? Object.assign(Object.create(null), value) : { ...value }
  onCreated(copy)
  for (const key of Object.keys(copy)) copy[key] = map(copy[key], key)
  return copy
}
