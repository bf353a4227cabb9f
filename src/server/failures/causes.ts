const MAX_CAUSES = 10

/** Returns whether a test holds for a thrown value or for one of its causes. */
export function someCause(thrown: unknown, test: (value: unknown) => boolean): boolean {
  let value = thrown
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    if (test(value)) return true
    value = readProperty(value, 'cause')
    if (value === undefined) return false
  }
  return false
}

/** Reads a property of a thrown value. Returns undefined if a getter throws. */
export function readProperty(value: unknown, name: 'name' | 'code' | 'cause' | 'status' | 'statusCode'): unknown {
  try {
    return Reflect.get(Object(value), name)
  } catch {
    return undefined
  }
}
