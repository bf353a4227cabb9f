import type { KeptError, SourceFrame } from './failure-record.ts'
import { innerErrorsOf } from './inner-errors.ts'

/**
 * Returns the first frame of the site, in the stack of the error, of its causes, or of the errors of an AggregateError;
 * null if there is none.
 */
export function siteFrameOf(error: KeptError): SourceFrame | null {
  const frames = [error, ...innerErrorsOf(error)].flatMap(({ stack }) => stack)
  return frames.find(({ isSite }) => isSite) ?? null
}
