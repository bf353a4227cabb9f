/** Longer keys are rare, and a client could fill the memory with them. */
const MAX_KEY_LENGTH = 4_096

/**
 * Adds an entry to a cache of at most `max` entries and returns its value. A full cache is emptied first: clients
 * choose many of the keys, and the entries that are in use come back at once. A long text is not kept as a key.
 */
export function remember<Key, Value>(cache: Map<Key, Value>, max: number, key: Key, value: Value): Value {
  if (typeof key === 'string' && key.length > MAX_KEY_LENGTH) return value
  if (cache.size >= max) cache.clear()
  cache.set(key, value)
  return value
}
