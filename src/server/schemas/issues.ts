import type { SchemaIssue } from '../../shared/standard-schema.ts'
import { HttpError } from '../errors/http-error.ts'
import { redactorOf } from '../redaction/redact.ts'
import { isSecretName, LEAST_SECRET_LENGTH, longEnough, separateWords } from '../redaction/secrets.ts'

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

export function keysOf({ path = [] }: SchemaIssue): PropertyKey[] {
  return path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
}

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

/**
 * Names of fields that a page must not contain, in addition to the names that are hidden in logs. `cc-number` and
 * `cc-csc` are the names of the fields that browsers fill in with card data.
 */
const PRIVATE =
  /(?:^|credit|debit|bank|[^a-z])card|cvc|cvv|(?:^|[^a-z])(?:ssn|iban)(?![a-z])|(?:^|[^a-z])cc[-_. ]?(?:num(?:ber)?|csc)(?![a-z])|bank[-_. ]?acc|social[-_. ]?sec/i

/** Returns whether the name of a field suggests a secret. Each part of the name is checked: `payment.code`. */
export function isPrivateField(name: string): boolean {
  return (
    PRIVATE.test(name) ||
    PRIVATE.test(separateWords(name)) ||
    isSecretName(name) ||
    name.split(/[.[\]]+/).some(isSecretName)
  )
}

/**
 * Returns the texts of a form by the names of their fields, to show them in the form again: without files and secrets.
 * The values of a name that occurs several times are an array, and `[]` at the end of a name is left out.
 */
export function typedValues(entries: Iterable<readonly [string, string | File]>): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || isPrivateField(name) || name === '__proto__') continue
    const key = name.replace(/\[]$/, '')
    const present = values.get(key)
    if (present === undefined) values.set(key, key === name ? value : [value])
    else if (typeof present === 'string') values.set(key, [present, value])
    else present.push(value)
  }
  return Object.fromEntries(values)
}

/** How many short secrets of a field are searched in the messages of this field. */
const MAX_SHORT = 10

/** Removes secrets from messages, as some libraries repeat values. Cuts them, so that the time is linear. */
export function hideSecrets(issues: readonly Issue[], entries: Iterable<readonly [string, string | File]>): Issue[] {
  const secrets = new Map<string, string[]>()
  for (const [name, value] of entries)
    if (typeof value === 'string' && value !== '' && isPrivateField(name)) addTo(secrets, name, value)
  if (secrets.size === 0) return [...issues]
  const redact = redactorOf(longEnough([...secrets.values()].flat()))
  return issues.map(({ path, message }) => {
    // A short text, such as a PIN, may occur in any sentence, so it is hidden only in the messages of its own field.
    const short = (secrets.get(path) ?? []).filter(({ length }) => length < LEAST_SECRET_LENGTH).slice(0, MAX_SHORT)
    return { path, message: short.reduce((text, secret) => text.replaceAll(secret, '…'), redact(message)) }
  })
}

function addTo(groups: Map<string, string[]>, name: string, value: string) {
  const group = groups.get(name)
  if (group) group.push(value)
  else groups.set(name, [value])
}
