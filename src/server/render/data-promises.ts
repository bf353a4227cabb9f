import { types } from 'node:util'
import { isThenable } from '../../shared/wire/deferred-data.ts'
import { forEachPart, mapParts } from '../../shared/wire/serialize.ts'
import type { RequestContext } from '../context/request-context.ts'
import { Redirection } from '../errors/http-error.ts'

/** The request that data belongs to. */
export type PromiseOwner = Pick<RequestContext, 'promises'>

/**
 * Returns data whose promises reject only with values that React can handle. A value that throws when it is read (a
 * Proxy, an error with throwing getters) would end React's whole render, even after the shell was sent. With a
 * thenable, the render would never end.
 *
 * Objects and promises that occur several times in the data also do so in the copy. A Proxy stays as it is, because
 * reading it may throw. Data without promises is returned itself.
 *
 * @param replace Returns the error to reject with instead of an unsafe reason.
 */
export function withSafePromises(value: unknown, replace: (reason: unknown) => Error, owner: PromiseOwner): unknown {
  let hasPromise = false
  const copies = new Map<unknown, unknown>()
  function copy(part: unknown): unknown {
    if (typeof part !== 'object' || part === null || types.isProxy(part)) return part
    const existing = copies.get(part)
    if (existing !== undefined) return existing
    if (!isThenable(part)) return mapParts(part, copy, (created) => copies.set(part, created))
    hasPromise = true
    const safe = makeSafe(toPromise(part, owner), replace)
    copies.set(part, safe)
    return safe
  }
  const copied = copy(value)
  return hasPromise ? copied : value
}

/**
 * Returns a promise for a promise or another thenable in the data, the same one each time in one request. The `then` of a
 * query builder sends the query, so it is called once. A builder may be a constant of a module: each request calls it
 * itself, because the result can belong to a visitor.
 */
export function toPromise(thenable: PromiseLike<unknown>, { promises }: PromiseOwner): Promise<unknown> {
  if (types.isPromise(thenable)) return thenable
  const promise = promises.get(thenable) ?? Promise.resolve(thenable)
  promises.set(thenable, promise)
  return promise
}

function makeSafe(promise: Promise<unknown>, replace: (reason: unknown) => Error): PromiseLike<unknown> {
  const safe = promise.catch((reason: unknown) => {
    throw isSafe(reason) ? reason : replace(reason)
  })
  // The page may never read it, and an unhandled rejection would end the process.
  safe.catch(() => {})
  return safe
}

function isSafe(reason: unknown): boolean {
  if (typeof reason !== 'object' || reason === null) return true
  if (types.isProxy(reason)) return false
  try {
    if (reason instanceof Redirection) return false
    for (const name of ['name', 'message', 'stack', 'digest']) Reflect.get(reason, name)
    // React would wait for a thenable, again and again.
    return typeof Reflect.get(reason, 'then') !== 'function'
  } catch {
    return false
  }
}

/**
 * Returns the promises in a value with their paths, the nearest first: `data.reviews`. It does not look inside
 * promises.
 *
 * @param name The path of the value itself: `data`.
 */
export function findPromises(value: unknown, name: string): Map<unknown, string> {
  const promises = new Map<unknown, string>()
  const seen = new Set<unknown>()
  const queue: [value: unknown, path: string][] = [[value, name]]
  for (const [part, path] of queue) {
    if (typeof part !== 'object' || part === null || seen.has(part)) continue
    seen.add(part)
    try {
      if (isThenable(part)) promises.set(part, path)
      else
        forEachPart(part, (inner, key) => {
          if (typeof inner === 'object') queue.push([inner, `${path}.${key}`])
        })
    } catch {
      // An object that throws when it is read has no parts to find.
    }
  }
  return promises
}

/**
 * Handles the rejections of all promises in a value that is not used: unhandled, they would end the process. It enters
 * class instances too, as a value may be unused because it cannot be serialized.
 */
export function silencePromises(value: unknown, owner: PromiseOwner, seen = new Set<unknown>()): void {
  // A loop, because data may be nested more deeply than calls may be.
  const left = [value]
  while (left.length > 0) {
    const part = left.pop()
    if (typeof part !== 'object' || part === null || types.isProxy(part) || seen.has(part)) continue
    seen.add(part)
    try {
      if (isThenable(part)) {
        toPromise(part, owner).then(
          (settled) => silencePromises(settled, owner, seen),
          () => {},
        )
      } else forEachPart(part, (inner) => left.push(inner))
    } catch {
      // An object that throws when it is read.
    }
  }
}
