/** Returns whether an error has this code: one of the system (`ENOENT`), or one of Hydrant. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
