import type { Side } from '../src/shared/wire/public-error.ts'
import { findGlobalFix } from './explain-globals.ts'
import { findHrefFix } from './explain-href.ts'

/** React's message for an element whose type is the whole `module.exports` of a package. */
const OBJECT_ELEMENT = /^Element type is invalid: .*but got: object\./

/**
 * Returns the fix for an error with a known reason; null for any other error.
 *
 * @param routes The routes of the site.
 */
export function findFix(
  side: Side,
  error: { type: string; message: string },
  routes: readonly string[],
): string | null {
  return findHrefFix(error.message, routes) ?? findGlobalFix(side, error) ?? findElementFix(side, error.message)
}

function findElementFix(side: Side, message: string): string | null {
  return side === 'server' && OBJECT_ELEMENT.test(message)
    ? 'If the component is the default import of a CommonJS package, import it by its name or take the property "default" of the import; see "hydrant docs development".'
    : null
}
