import { forEachPart } from '../../shared/wire/data-parts.ts'
import { isThenable } from '../../shared/wire/deferred-data.ts'
import { startDeadline } from '../util/deadline.ts'
import { type PromiseOwner, toPromise } from './data-promises.ts'

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
 * decimal string, a set and a typed array an array, and a map an object (an array of pairs if a key is not a string).
 *
 * Rejects with the reason of a promise, with the error of `onTimeout`, with an AbortError when the client disconnects,
 * or with a TypeError for data that contains itself.
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
  if (typeof value !== 'object' || value === null) return value
  if (isThenable(value)) return settleLater(value, path, pending, new Set(ancestors))
  if (ancestors.has(value)) throw new TypeError(`${path} contains itself, which JSON cannot represent`)
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    // Every typed array is iterable.
    return Array.from(value as unknown as Iterable<number | bigint>, (item) =>
      typeof item === 'bigint' ? item.toString() : item,
    )
  }
  ancestors.add(value)
  const parts: unknown[] = []
  forEachPart(value, (part, key) => parts.push(settle(part, `${path}.${key}`, pending, ancestors)))
  ancestors.delete(value)
  const rebuild = (settled: readonly unknown[]) => toJsonContainer(value, settled)
  return parts.some((part) => part instanceof Promise) ? Promise.all(parts).then(rebuild) : rebuild(parts)
}

/** Returns the array or plain object that represents a container in JSON, with the settled parts in its place. */
function toJsonContainer(container: object, parts: readonly unknown[]): unknown {
  if (Array.isArray(container) || container instanceof Set) return parts
  const keys: unknown[] = container instanceof Map ? [...container.keys()] : Object.keys(container)
  const pairs = parts.map((part, index) => [keys[index], part] as const)
  return keys.every((key) => typeof key === 'string') ? Object.fromEntries(pairs) : pairs
}

function settleLater(promise: PromiseLike<unknown>, path: string, pending: Pending, ancestors: Set<object>) {
  pending.waiting.add(path)
  const settled = toPromise(promise, pending).then((value) => {
    pending.waiting.delete(path)
    return settle(value, path, pending, ancestors)
  })
  // It is no longer awaited when another part has thrown.
  settled.catch(() => {})
  return settled
}
