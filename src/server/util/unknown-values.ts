/** Returns the message of a caught error, or the caught value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the first line of the message: some errors append a list of files. */
export function firstLineOf(error: unknown): string {
  const [line = ''] = messageOf(error).split('\n', 1)
  return line
}

/** Returns the message of an error of a connection. If a host has several addresses, it may be one for each of them. */
export function connectionMessageOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(connectionMessageOf).join(', ') : messageOf(error)
}

/** Returns whether an error has this code: one of the system (`ENOENT`), or one of Hydrant. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/**
 * Ends the stack traces of a function that is called after `await freshStack`. V8 keeps a fixed number of frames, which
 * then all belong to this function and those that it calls, and none to its callers.
 */
export const freshStack = Promise.resolve()

/**
 * Returns whether a value is an object without a class: its prototype is null, or an object whose prototype is null. That
 * is `{}`, also of another realm, and what parsers of queries and forms create.
 */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}
