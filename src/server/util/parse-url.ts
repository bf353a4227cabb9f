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

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_-]{1,63})*\.?$/i
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/i

/** Whether the text is a valid host name, or an IPv6 address in brackets. */
export function isHostName(name: string): boolean {
  return HOST_NAME.test(name) || IPV6.test(name)
}
