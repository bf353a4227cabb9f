/**
 * Null for what is no URL. Not by `URL.canParse`: once it has been called some thousand times, that of Node.js 20 and 22 takes
 * the letters of a text beyond ASCII for others, and says yes where `new URL` throws.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
