// The half of data.ts that writes.

import * as devalue from 'devalue'
import type { BootMessage } from './boot.ts'
import { type Flat, isThenable, type Path } from './deferred-data.ts'
import { escapeScript } from './html.ts'

/**
 * Writes a value as JSON that is safe inside a script. `defer` is called for each promise and gives its number (1 or
 * more). A key named `__proto__` is left out. Throws `devalue.DevalueError` with a `path` for what cannot travel.
 */
export function serialise(value: unknown, defer: (promise: PromiseLike<unknown>) => number): string {
  if (value === undefined) return '{}'
  const found: Found = { objects: new Set(), hasPromise: false }
  if (!isPlain(value, found) || isThenable(value)) {
    const reducers = { Promise: (part: unknown) => isThenable(part) && defer(part) }
    return escapeScript(devalue.stringify(value, reducers, { operations: { shapeOf: shapeWithoutProto } }))
  }
  if (!found.hasPromise) return plainJson(value)
  const promises: [number, ...Path][] = []
  const plain = liftPromises(value, [], (promise, path) => promises.push([defer(promise), ...path]))
  return escapeScript(JSON.stringify({ plain, promises }))
}

/** What `serialise` writes of a value that has neither a promise nor anything else that JSON cannot say; null of any other. */
export function serialisePlain(value: unknown): string | null {
  if (value === undefined) return '{}'
  const found: Found = { objects: new Set(), hasPromise: false }
  return isPlain(value, found) && !found.hasPromise ? plainJson(value) : null
}

function plainJson(value: unknown): string {
  return `{"plain":${escapeScript(JSON.stringify(value))}}`
}

/** A settlement with a value as JSON that is safe inside a script; `data` is what `serialise` wrote. */
export function fulfilledText(id: number, data: string): string {
  return `[${id},"value",${data}]`
}

/** The same of any other message. */
export function messageText(message: Exclude<BootMessage, [number, 'value', Flat]>): string {
  return escapeScript(JSON.stringify(message))
}

/** Is what `serialise` wrote read with a module that browsers load for it? */
export function needsUnflatten(serialised: string): boolean {
  return serialised[0] !== '{'
}

interface Found {
  objects: Set<object>
  hasPromise: boolean
}

// Would JSON give back the same, but for promises? Not what it leaves out (undefined), changes (-0, a Date) or doubles
// (an object that stands in two places), and not the one key that means something else inside a script.
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
  // All of them are its own: a plain object inherits nothing enumerable.
  const object = value as Record<string, unknown>
  for (const key in object) {
    if (key === '__proto__' || key === 'toJSON' || !isPlain(object[key], found)) return false
  }
  return true
}

// No page means such a key: a visitor has sent it, in a query or a form that a page gives back. Devalue throws for it, and
// what anybody can send must not be a failure.
function shapeWithoutProto(value: unknown): ReturnType<typeof devalue.defaultStringifyOperations.shapeOf> {
  const shape = devalue.defaultStringifyOperations.shapeOf(value)
  if (!('keys' in shape) || !shape.keys.includes('__proto__')) return shape
  return { kind: shape.kind, keys: shape.keys.filter((key) => key !== '__proto__') }
}

/** Copies what is plain with 0 in the place of each promise. */
function liftPromises(
  value: unknown,
  path: Path,
  lift: (promise: PromiseLike<unknown>, path: Path) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part, index) => liftPromises(part, [...path, index], lift))
  if (isThenable(value)) {
    lift(value, path)
    return 0
  }
  const parts = Object.entries(value).map(([key, part]) => [key, liftPromises(part, [...path, key], lift)])
  return Object.fromEntries(parts)
}
