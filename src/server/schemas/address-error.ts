import { HttpError } from '../thrown/http-error.ts'
import type { Issue } from './issues.ts'

/** The refusal of an address whose query does not match the schema `search`. */
class SearchError extends HttpError {
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(400, describe(issues))
    this.issues = issues
  }
}

export function createSearchError(issues: readonly Issue[]): HttpError {
  return new SearchError(issues)
}

/** Returns the issues of a thrown value; none for a value that has none. */
export function issuesOf(thrown: unknown): readonly Issue[] {
  return thrown instanceof SearchError ? thrown.issues : []
}

const MAX_SHOWN = 5

function describe(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_SHOWN).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return ['The query of this address is not valid.', ...lines].join(' ')
}
