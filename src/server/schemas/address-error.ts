import { HttpError } from '../thrown/http-error.ts'
import type { Issue } from './issues.ts'

// A map, because reading a property of a thrown value may throw, and so may `instanceof`.
const issuesByError = new WeakMap<object, readonly Issue[]>()

/** Creates the refusal of an address whose query does not match the schema `search`. */
export function createSearchError(issues: readonly Issue[]): HttpError {
  const error = new HttpError(400, describeIssues(issues))
  issuesByError.set(error, issues)
  return error
}

/** Returns the issues of a thrown value; an empty list for any other value. */
export function issuesOf(thrown: unknown): readonly Issue[] {
  return typeof thrown === 'object' && thrown !== null ? (issuesByError.get(thrown) ?? []) : []
}

const MAX_SHOWN = 5

function describeIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_SHOWN).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return ['The query of this address is not valid.', ...lines].join(' ')
}
