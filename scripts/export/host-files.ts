import { withBase } from '../../src/shared/paths.ts'

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
