import { withBase } from '../../src/shared/paths.ts'
import { compareText } from '../build-problem.ts'

/** A page that redirects. */
export interface Redirect {
  /** The path of the page, with the base. */
  path: string
  /** The value of the header `Location`. */
  location: string
  status: number
}

/** The statuses of permanent redirects: https://www.rfc-editor.org/rfc/rfc9110#section-15.4 */
const PERMANENT = [301, 308]

/**
 * Returns the file `_redirects`, which Netlify, Cloudflare Pages and GitLab Pages read. All of them know 301 and 302, which
 * mean the same as the other statuses for a file.
 *
 * @param given The site's own rules, which come first: hosts use the first rule that matches.
 */
export function redirectsFile(given: string, redirects: readonly Redirect[]): string {
  const rules = redirects.map(
    ({ path, location, status }) => `${path} ${location} ${PERMANENT.includes(status) ? 301 : 302}\n`,
  )
  const start = given === '' || given.endsWith('\n') ? given : `${given}\n`
  return start + rules.sort(compareText).join('')
}

/**
 * Returns the file `_headers`, which Netlify and Cloudflare Pages read.
 *
 * @param documents Headers of documents, which browsers ignore for other files.
 */
export function headersFile(
  base: string,
  assets: string,
  documents: readonly (readonly [name: string, value: string])[],
): string {
  // The part of the policy that an element cannot have.
  const headers = [...documents, ['content-security-policy', "frame-ancestors 'self'"] as const]
  const rules = headers.map(([name, value]) => `  ${name}: ${value}\n`).join('')
  return `${withBase(base, '/*')}\n${rules}\n${assets}*\n  cache-control: public, max-age=31536000, immutable\n`
}
