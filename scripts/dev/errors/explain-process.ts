import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'

/** The messages of Chrome and Firefox, and of Safari. */
const NO_PROCESS = /^(?:process is not defined|Can't find variable: process)$/

/** Returns the fix for an error of a browser, which has no `process`. Returns null for any other failure. */
export function findProcessFix({ side, error }: Pick<FailureRecord, 'side' | 'error'>): string | null {
  if (side !== 'client' || error.type !== 'ReferenceError' || !NO_PROCESS.test(error.message)) return null
  return 'Read a variable whose name begins with PUBLIC_ from "publicEnv" of "hydrant/react" in place of "process.env", or return the value from a load; see "hydrant docs environment".'
}
