import { isThenable } from '../../shared/wire/deferred-data.ts'
import { startDeadline } from '../util/deadline.ts'

/**
 * What a load returned as plain JSON, for scripts: promises awaited, dates as ISO 8601, BigInt as a decimal string, Set
 * as an array, Map as an object (as an array of pairs when a key is no string). Rejects with what a promise rejects
 * with, with the error that `onTimeout` makes, or with a TypeError for a cycle.
 *
 * @param watchLeaving Is given what is to be called when nobody wants it any more; then it rejects.
 */
export async function toPlainJson(
  value: unknown,
  onTimeout: (pending: string) => Error,
  timeoutMs: number,
  watchLeaving: (stop: () => void) => void = () => {},
): Promise<string> {
  let clearDeadline = () => {}
  const waiting = new Set<string>()
  const deadline = new Promise<never>((_, reject) => {
    clearDeadline = startDeadline(timeoutMs, () => reject(onTimeout([...waiting].join(', '))))
    watchLeaving(() => reject(new DOMException('The client disconnected.', 'AbortError')))
  })
  // Nobody waits for it when a value throws at once.
  deadline.catch(() => {})
  try {
    const plain = await Promise.race([settle(value, 'data', waiting, new Set()), deadline])
    return JSON.stringify(plain) ?? 'null'
  } finally {
    clearDeadline()
  }
}

/**
 * At once what holds no promise; a promise of the rest. `around` are the objects that the value stands in, which are the
 * same again when it returns: each list of its own would be as long as the data is deep.
 */
function settle(value: unknown, path: string, waiting: Set<string>, around: Set<object>): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (isThenable(value)) return settleLater(value, path, waiting, new Set(around))
  if (around.has(value)) throw new TypeError(`${path} contains itself, which JSON cannot represent`)
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    // Of any of the typed arrays.
    return Array.from(value as unknown as Iterable<number | bigint>, (item) =>
      typeof item === 'bigint' ? item.toString() : item,
    )
  }
  around.add(value)
  const part = (item: unknown, key: string | number) => settle(item, `${path}.${key}`, waiting, around)
  const settled = settleParts(value, part)
  around.delete(value)
  return settled
}

function settleParts(value: object, part: (item: unknown, key: string | number) => unknown): unknown {
  if (Array.isArray(value)) return settleAll(value.map(part))
  if (value instanceof Set) return settleAll([...value].map(part))
  const isMap = value instanceof Map
  const entries: [unknown, unknown][] = isMap ? [...value] : Object.entries(value)
  const keys = entries.map(([key]) => key)
  const isObject = keys.every((key) => typeof key === 'string')
  const items = settleAll(entries.map(([key, item], index) => part(item, isMap ? index : String(key))))
  const join = (settled: unknown[]) => {
    const pairs = settled.map((item, index) => [keys[index], item] as const)
    return isObject ? Object.fromEntries(pairs) : pairs
  }
  return items instanceof Promise ? items.then(join) : join(items)
}

function settleAll(items: unknown[]): unknown[] | Promise<unknown[]> {
  return items.some((item) => item instanceof Promise) ? Promise.all(items) : items
}

function settleLater(promise: PromiseLike<unknown>, path: string, waiting: Set<string>, around: Set<object>) {
  waiting.add(path)
  const settled = Promise.resolve(promise).then((value) => {
    waiting.delete(path)
    return settle(value, path, waiting, around)
  })
  // Nobody waits for it any more when another part has thrown.
  settled.catch(() => {})
  return settled
}
