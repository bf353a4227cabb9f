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
