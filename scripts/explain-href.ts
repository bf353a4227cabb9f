import { closestMatch } from '../src/server/util/closest-match.ts'

/**
 * Returns the fix for an error that `href` threw because the site has no page with its route. Returns null for any other
 * message.
 *
 * @param routes The routes of the site.
 */
export function findHrefFix(message: string, routes: readonly string[]): string | null {
  const [, route] = /^href\('([^']*)'\): /.exec(message) ?? []
  if (route === undefined || routes.includes(route)) return null
  const similar = closestMatch(route, routes)
  return `Correct the route: there is no page ${route}${similar === undefined ? '.' : `; did you mean ${similar}?`}`
}
