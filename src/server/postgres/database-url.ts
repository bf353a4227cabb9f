import { parseUrl } from '../util/parse-url.ts'

/** Returns whether a text begins like the URL of a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}

/** Returns whether the URL of a database can be parsed. `URL` rejects that of a socket file, because it has no host. */
export function isParsable(url: string): boolean {
  return parseUrl(url.replace('@/', '@socket/')) !== null
}

/** Returns the URL of a database without its secrets: `postgres://host/database`. */
export function placeOf(url: string): string {
  // Up to the last @, because a password may contain one. A parameter may be a password, too.
  return url.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '')
}
