import { isThenable } from '../shared/data.ts'

/**
 * What a load returned as plain JSON, for scripts: promises awaited, dates as ISO 8601, BigInt as a decimal string, Set
 * as an array, Map as an object (as an array of pairs when a key is no string). Rejects with what a promise rejects
 * with, with the error that `onTimeout` makes, or with a TypeError for a cycle.
 */
export async function toPlainJson(
  value: unknown,
  onTimeout: (pending: string) => Error,
  timeoutMs: number,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const waiting = new Set<string>()
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout([...waiting].join(', '))), timeoutMs)
  })
  try {
    const plain = await Promise.race([settle(value, 'data', waiting, []), deadline])
    return JSON.stringify(plain) ?? 'null'
  } finally {
    clearTimeout(timer)
  }
}

async function settle(value: unknown, path: string, waiting: Set<string>, around: readonly object[]): Promise<unknown> {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (isThenable(value)) {
    waiting.add(path)
    const settled = await value
    waiting.delete(path)
    return settle(settled, path, waiting, around)
  }
  if (around.includes(value)) throw new TypeError(`${path} contains itself, which JSON cannot say`)
  const inside = [...around, value]
  const part = (item: unknown, key: string | number) => settle(item, `${path}.${key}`, waiting, inside)
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  if (Array.isArray(value)) return Promise.all(value.map(part))
  if (value instanceof Set) return Promise.all([...value].map(part))
  if (value instanceof Map) return settleMap(value, part)
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    // Of any of the typed arrays.
    return Array.from(value as unknown as Iterable<number | bigint>, (item) =>
      typeof item === 'bigint' ? item.toString() : item,
    )
  }
  return Object.fromEntries(
    await Promise.all(Object.entries(value).map(async ([key, item]) => [key, await part(item, key)])),
  )
}

async function settleMap(map: Map<unknown, unknown>, part: (item: unknown, key: string | number) => Promise<unknown>) {
  const entries = await Promise.all([...map].map(async ([key, item], index) => [key, await part(item, index)] as const))
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries
}
