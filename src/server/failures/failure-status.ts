import { readProperty } from './causes.ts'

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
  return TIMEOUT_CODES.includes(readProperty(thrown, 'code')) ? DEADLINE_STATUS : 500
}
