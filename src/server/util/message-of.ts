/** Returns the message of a caught error, or the caught value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
