import { closestMatch } from '../src/server/util/closest-match.ts'
import type { Side } from '../src/shared/wire/public-error.ts'
import { findGlobalFix, type ThrownError } from './explain-globals.ts'

/** The messages of Chrome and Node.js, of Firefox, and of Safari. The groups are the name. */
const NO_EXPORT =
  /(?:does not|doesn't) provide an export named:? '([^']+)'|^Importing binding name '([^']+)' is not found/
/** React's message for an element whose type is the whole `module.exports` of a package. */
const OBJECT_ELEMENT = /^Element type is invalid: .*but got: object\./

/**
 * Returns the fix for an error with a known reason; null for any other error.
 *
 * @param routes The routes of the site.
 */
export function findFix(side: Side, error: ThrownError, routes: readonly string[]): string | null {
  const { message } = error
  return (
    findHrefFix(message, routes) ??
    findGlobalFix(side, error) ??
    findExportFix(message) ??
    findElementFix(side, message)
  )
}

/** Types that a module exports are not in its script, and an export of a type must say that it is one. */
function findExportFix(message: string): string | null {
  const [, inMost, inSafari] = NO_EXPORT.exec(message) ?? []
  const name = inMost ?? inSafari
  return name === undefined
    ? null
    : `If "${name}" is a type, write "export type { ${name} } from …". Otherwise, export "${name}" in that module.`
}

function findElementFix(side: Side, message: string): string | null {
  return side === 'server' && OBJECT_ELEMENT.test(message)
    ? 'If the component is the default import of a CommonJS package, import it by its name or take the property "default" of the import; see "hydrant docs development".'
    : null
}

/**
 * Returns the fix for an error that `href` threw because the site has no page with its route. Returns null for any other
 * message.
 *
 * @param routes The routes of the site.
 */
function findHrefFix(message: string, routes: readonly string[]): string | null {
  const [, route] = /^href\('([^']*)'\): /.exec(message) ?? []
  if (route === undefined || routes.includes(route)) return null
  const similar = closestMatch(route, routes)
  return `Correct the route: there is no page ${route}${similar === undefined ? '.' : `; did you mean ${similar}?`}`
}
