import type { LightMyRequestResponse } from 'fastify'

/** The cookies of a visitor. Paths and domains of cookies are ignored. */
export interface CookieJar {
  /** Returns the value of the header `cookie`; null without cookies. */
  header(): string | null
  /** Stores the cookies of a response, and removes those that the response deletes. */
  store(response: LightMyRequestResponse): void
}

export function createCookieJar(): CookieJar {
  // The text of each cookie as the server wrote it: decoding could change it.
  const cookies = new Map<string, string>()
  return {
    header: () => (cookies.size === 0 ? null : [...cookies.values()].join('; ')),
    store({ headers }) {
      for (const line of [headers['set-cookie'] ?? []].flat()) {
        const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
        const name = pair.slice(0, pair.indexOf('='))
        if (isEnded(attributes)) cookies.delete(name)
        else cookies.set(name, pair)
      }
    },
  }
}

function isEnded(attributes: readonly string[]): boolean {
  const attributeOf = (name: string) =>
    attributes.find((text) => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const maxAge = attributeOf('max-age')
  // Max-Age takes precedence over Expires.
  if (maxAge !== undefined) return Number(maxAge) <= 0
  return Date.parse(attributeOf('expires') ?? '') <= Date.now()
}
