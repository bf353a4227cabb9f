import { isThenable } from '../../shared/wire/promises.ts'
import { forEachPart } from '../../shared/wire/values.ts'
import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'
import { startDeadline } from '../util/deadline.ts'
import { hasCode, isPlainObject, messageOf } from '../util/unknown-values.ts'
import { nameRefused, type PromiseOwner, toPromise } from './deferred.ts'

const REFUSED = 'HYD_DATA_UNSERIALISABLE'

/** The request that gets the JSON. */
interface JsonRequest extends Partial<PromiseOwner> {
  /** Receives the function to call when the client disconnects. */
  watchLeaving?(stop: () => void): void
}

interface Pending extends PromiseOwner {
  /** The paths of the promises that are pending. */
  waiting: Set<string>
}

/**
 * Returns the data of a load as plain JSON, for scripts. Promises are awaited. A date becomes ISO 8601, a BigInt a
 * decimal string, a set and binary data an array, and a map an object (an array of pairs if a key is not a string).
 *
 * Rejects with the reason of a promise, with the error of `onTimeout`, with an AbortError when the client disconnects,
 * or with HYD_DATA_UNSERIALISABLE for data that a document may not contain either, and for data that contains itself.
 *
 * @param onTimeout Returns the error for a value that is not complete in time; `pending` lists the paths of its
 *   promises.
 */
export async function toPlainJson(
  value: unknown,
  onTimeout: (pending: string) => Error,
  timeoutMs: number,
  { watchLeaving, promises = new WeakMap() }: JsonRequest = {},
): Promise<string> {
  let clearDeadline = () => {}
  const waiting = new Set<string>()
  const deadline = new Promise<never>((_, reject) => {
    clearDeadline = startDeadline(timeoutMs, () => reject(onTimeout([...waiting].join(', '))))
    watchLeaving?.(() => reject(new DOMException('The client disconnected.', 'AbortError')))
  })
  // It is not awaited when a value throws at once.
  deadline.catch(() => {})
  try {
    const plain = await Promise.race([settle(value, 'data', { waiting, promises }, new Set()), deadline])
    return JSON.stringify(plain) ?? 'null'
  } finally {
    clearDeadline()
  }
}

/**
 * Returns a value that JSON can represent, or a promise of it if the value holds promises.
 *
 * @param ancestors The objects that contain the value. They are shared by all calls, and restored before each returns:
 *   a copy for each object would take memory that grows with the depth of the data.
 */
function settle(value: unknown, path: string, pending: Pending, ancestors: Set<object>): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'function' || typeof value === 'symbol') throw refuse(path, nameRefused(value))
  if (typeof value !== 'object' || value === null) return value
  if (isThenable(value)) return settleLater(value, path, pending, new Set(ancestors))
  if (ancestors.has(value)) throw refuse(path, 'it contains itself')
  const parts: unknown[] = []
  try {
    if (!isContainer(value)) return leafOf(value, path)
    ancestors.add(value)
    forEachPart(value, (part, key) => {
      const name = typeof key === 'number' ? `[${key}]` : `.${key}`
      parts.push(settle(part, path + name, pending, ancestors))
    })
    ancestors.delete(value)
  } catch (error) {
    // A getter of the site may throw.
    throw hasCode(error, REFUSED) ? error : refuse(path, messageOf(error), error)
  }
  const rebuild = (settled: readonly unknown[]) => toJsonContainer(value, settled)
  return parts.some((part) => part instanceof Promise) ? Promise.all(parts).then(rebuild) : rebuild(parts)
}

function isContainer(value: object): boolean {
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return true
  return isPlainObject(value) && Object.getOwnPropertySymbols(value).length === 0
}

/** What a document writes as a value of its own, by its tag, and JSON as a text, a number or an array. */
const LEAVES: Readonly<Record<string, (value: never) => unknown>> = {
  Date: (value: Date) => value.toJSON(),
  URL: String,
  URLSearchParams: String,
  RegExp: String,
  Number: Number,
  String: String,
  Boolean: (value: boolean) => value.valueOf(),
  BigInt: String,
  ArrayBuffer: (value: ArrayBuffer) => [...new Uint8Array(value)],
  DataView: ({ buffer, byteOffset, byteLength }: DataView) => [...new Uint8Array(buffer, byteOffset, byteLength)],
}

function leafOf(value: object, path: string): unknown {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const toLeaf = LEAVES[tag]
  // The tag says which value it is.
  if (toLeaf !== undefined && Object.hasOwn(LEAVES, tag)) return toLeaf(value as never)
  if (ArrayBuffer.isView(value)) {
    // Every typed array is iterable.
    return Array.from(value as unknown as Iterable<number | bigint>, (item) =>
      typeof item === 'bigint' ? item.toString() : item,
    )
  }
  if (tag.startsWith('Temporal.')) return String(value)
  throw refuse(path, nameRefused(value) || 'an object with symbols as keys')
}

/** @param path Begins with `data`. */
function refuse(path: string, reason: string, cause?: unknown): HydrantError {
  return createHydrantError(REFUSED, ['a load or an action', 'the page', path.slice('data'.length), reason], cause)
}

/** Returns the array or plain object that represents a container in JSON, with the settled parts in its place. */
function toJsonContainer(container: object, parts: readonly unknown[]): unknown {
  if (Array.isArray(container) || container instanceof Set) return parts
  const keys: unknown[] = container instanceof Map ? [...container.keys()] : Object.keys(container)
  const pairs = parts.map((part, index) => [keys[index], part] as const)
  if (container instanceof Map && !keys.every((key) => typeof key === 'string'))
    return pairs.map(([key, part]) => [
      settle(key, 'data', { waiting: new Set(), promises: new WeakMap() }, new Set()),
      part,
    ])
  return Object.fromEntries(pairs)
}

function settleLater(promise: PromiseLike<unknown>, path: string, pending: Pending, ancestors: Set<object>) {
  // The names that `findPromises` gives to the promises of a document.
  const name = path.replace(/\[(\d+)\]/g, '.$1')
  pending.waiting.add(name)
  const settled = toPromise(promise, pending).then((value) => {
    pending.waiting.delete(name)
    return settle(value, path, pending, ancestors)
  })
  // It is no longer awaited when another part has thrown.
  settled.catch(() => {})
  return settled
}
