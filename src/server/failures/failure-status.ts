/** The status of a failure whose deadline passed. */
export const DEADLINE_STATUS = 504

const TIMEOUT_CODES: readonly unknown[] = [
  'HYD_GUARD_TIMEOUT',
  'HYD_LOAD_TIMEOUT',
  'HYD_ACTION_TIMEOUT',
  'HYD_SCHEMA_TIMEOUT',
  'HYD_RENDER_TIMEOUT',
]

/** Returns the HTTP status for a failure: 504 when a deadline passed, else 500. */
export function failureStatusOf(thrown: unknown): number {
  return TIMEOUT_CODES.includes(readCode(thrown)) ? DEADLINE_STATUS : 500
}

// Reading a property of a thrown value may throw.
function readCode(thrown: unknown): unknown {
  try {
    return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  } catch {
    return undefined
  }
}
