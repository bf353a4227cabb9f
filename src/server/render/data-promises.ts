import { types } from 'node:util'
import { isThenable } from '../../shared/wire/deferred-data.ts'
import { Redirection } from '../thrown/http-error.ts'

/**
 * The same data with its promises made safe for React: one that rejects with what throws when it is looked at (a
 * Proxy, an error with throwing getters) would end React's whole render, long after the shell has gone out, and one that
 * rejects with something to wait for would never end it. What has
 * no promise inside is returned as it is.
 *
 * @param replace Gives the error to reject with instead.
 */
export function guardPromises(value: unknown, replace: (reason: unknown) => Error, seen = new Set<unknown>()): unknown {
  if (typeof value !== 'object' || value === null || types.isProxy(value) || seen.has(value)) return value
  seen.add(value)
  if (isThenable(value)) return guarded(value, replace)
  if (Array.isArray(value)) {
    const items = value.map((item) => guardPromises(item, replace, seen))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(([key, part]) => [key, part, guardPromises(part, replace, seen)] as const)
  if (entries.every(([, part, safe]) => part === safe)) return value
  return Object.fromEntries(entries.map(([key, , safe]) => [key, safe]))
}

function guarded(promise: PromiseLike<unknown>, replace: (reason: unknown) => Error): PromiseLike<unknown> {
  const safe = promise.then(undefined, (reason: unknown) => {
    throw isSafe(reason) ? reason : replace(reason)
  })
  // The page may never read it.
  safe.then(undefined, () => {})
  return safe
}

function isSafe(reason: unknown): boolean {
  if (typeof reason !== 'object' || reason === null) return true
  if (types.isProxy(reason)) return false
  try {
    if (reason instanceof Redirection) return false
    for (const name of ['name', 'message', 'stack', 'digest']) Reflect.get(reason, name)
    // What can be waited for React would wait for, again and again.
    return typeof Reflect.get(reason, 'then') !== 'function'
  } catch {
    return false
  }
}

/**
 * Keeps promises in data that nobody will read from ending the process when they reject: of loads whose page has been
 * decided otherwise, or that wait for another load.
 */
export function silencePromises(value: unknown, seen = new Set<unknown>()): void {
  // A loop: data may be deeper than calls may be, and what throws behind a promise ends the process.
  const left = [value]
  while (left.length > 0) {
    const part = left.pop()
    if (typeof part !== 'object' || part === null || types.isProxy(part) || seen.has(part)) continue
    seen.add(part)
    try {
      if (isThenable(part)) {
        part.then(
          (settled) => silencePromises(settled, seen),
          () => {},
        )
      }
      for (const inner of partsOf(part)) left.push(inner)
    } catch {
      // What throws when it is looked at.
    }
  }
}

function partsOf(value: object): Iterable<unknown> {
  if (ArrayBuffer.isView(value)) return []
  return value instanceof Map || value instanceof Set ? value.values() : Object.values(value)
}
