/**
 * Parses a URL. Returns null for text that is not a URL.
 *
 * Does not use `URL.canParse`: in Node.js 20 and 22 it misreads characters beyond ASCII after some thousand calls, and
 * returns true where `new URL` throws.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
