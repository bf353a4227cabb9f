/** Values by keys, up to a number of bytes. */
export interface ByteCache<Value> {
  get(key: string): Value | null
  /** Adds a value, and removes those that were used the longest time ago. A value above the limit is not kept. */
  set(key: string, value: Value, bytes: number): void
  delete(key: string): void
  clear(): void
}

export function createByteCache<Value>(maxBytes: number): ByteCache<Value> {
  /** In the order of their use. */
  const entries = new Map<string, { value: Value; bytes: number }>()
  let total = 0

  function remove(key: string) {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return null
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, bytes) {
      remove(key)
      if (bytes > maxBytes) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) return
        remove(oldest)
      }
    },
    delete: remove,
    clear() {
      entries.clear()
      total = 0
    },
  }
}
