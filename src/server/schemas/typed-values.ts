import { isSecretName } from '../redaction/secret-names.ts'
import type { Issue } from './issues.ts'

/** Names of fields that a page must not contain, in addition to the names that are hidden in logs. */
const PRIVATE = /(?:^|credit|debit|bank|[^a-z])card|cvc|cvv|(?:^|[^a-z])(?:ssn|pin|otp|iban)(?:$|[^a-z])/i

/** Returns whether the name of a field means a secret. Each part of the name counts: `payment.code`. */
export function isPrivateField(name: string): boolean {
  return PRIVATE.test(name) || isSecretName(name) || name.split(/[.[\]]+/).some(isSecretName)
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
    const known = values.get(key)
    if (known === undefined) values.set(key, key === name ? value : [value])
    else values.set(key, [...[known].flat(), value])
  }
  return Object.fromEntries(values)
}

/** A shorter value occurs in most sentences. */
const LEAST_LENGTH = 3

/** Removes the secrets of a form from messages: some libraries repeat the value that is wrong. */
export function hideSecrets(issues: readonly Issue[], entries: Iterable<readonly [string, string | File]>): Issue[] {
  const secrets = [...entries].flatMap(([name, value]) =>
    typeof value === 'string' && value.length >= LEAST_LENGTH && isPrivateField(name) ? [value] : [],
  )
  if (secrets.length === 0) return [...issues]
  return issues.map(({ path, message }) => ({
    path,
    message: secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message),
  }))
}
