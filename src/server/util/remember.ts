/**
 * Adds an entry to a cache of at most `max` entries and returns its value. A full cache is emptied first: clients
 * choose many of the keys, and the entries that are in use come back at once.
 */
export function remember<Key, Value>(cache: Map<Key, Value>, max: number, key: Key, value: Value): Value {
  if (cache.size >= max) cache.clear()
  cache.set(key, value)
  return value
}
