// The parts of the objects in a load's data. Every function that walks through data uses these two functions.

/**
 * Calls `onPart` for each part of an object: the items of an array or a set, the values of a map, and the enumerable
 * properties of any other object. `key` is the name of the property, or the index. Binary data has no parts.
 */
export function forEachPart(value: object, onPart: (part: unknown, key: string | number) => void) {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) onPart(value[index], index)
  } else if (value instanceof Map || value instanceof Set) {
    let index = 0
    for (const part of value.values()) onPart(part, index++)
  } else if (!ArrayBuffer.isView(value)) {
    const object = value as Record<string, unknown>
    for (const key of Object.keys(object)) onPart(object[key], key)
  }
}

/**
 * Returns a copy of an array, a map, a set or a plain object, with the parts that `map` returns. Returns any other
 * object itself: a copy of a class instance would lose its private fields.
 *
 * @param onCreated Called with the copy before its first part is mapped, for data that contains itself.
 */
export function mapParts(
  value: object,
  map: (part: unknown, key: string | number) => unknown,
  onCreated: (copy: object) => void = () => {},
): object {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    onCreated(copy)
    forEachPart(value, (part, key) => copy.push(map(part, key)))
    return copy
  }
  if (value instanceof Set && prototype === Set.prototype) {
    const copy = new Set<unknown>()
    onCreated(copy)
    forEachPart(value, (part, key) => copy.add(map(part, key)))
    return copy
  }
  if (value instanceof Map && prototype === Map.prototype) {
    const copy = new Map<unknown, unknown>()
    onCreated(copy)
    let index = 0
    for (const [key, part] of value) copy.set(key, map(part, index++))
    return copy
  }
  if (prototype !== Object.prototype && prototype !== null) return value
  // The spread defines `__proto__` as a property; an assignment to a copy without it would set the prototype.
  const copy: Record<string, unknown> = prototype === null ? Object.assign(Object.create(null), value) : { ...value }
  onCreated(copy)
  for (const key of Object.keys(copy)) copy[key] = map(copy[key], key)
  return copy
}
