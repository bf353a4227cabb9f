import type { SchemaIssue } from '../../shared/standard-schema.ts'

/** A problem of a form, a body or a query. */
export interface Issue {
  /** The name of the field; empty for the whole. */
  path: string
  message: string
}

/** The most issues in a response. */
const MAX_ISSUES = 1_000

/** Returns the issues that a schema found, with the names of their fields. */
export function toIssues(issues: readonly SchemaIssue[], nameOf: (path: readonly PropertyKey[]) => string): Issue[] {
  return issues.slice(0, MAX_ISSUES).map((issue) => ({ path: nameOf(keysOf(issue)), message: issue.message }))
}

/** Returns the keys of the path of an issue. */
export function keysOf({ path = [] }: SchemaIssue): PropertyKey[] {
  return path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
}

/** Returns the messages of each field. */
export function groupIssues(issues: readonly Issue[]): Record<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { path, message } of issues) {
    const group = groups.get(path)
    if (group === undefined) groups.set(path, [message])
    else if (!group.includes(message)) group.push(message)
  }
  groups.delete('__proto__')
  return Object.fromEntries(groups)
}
