import type { IncomingHttpHeaders } from 'node:http'

const HIDDEN = '[hidden]'
// Shorter values (`a`, `1`, `dark`) are no secrets and would hide half of every message.
const LEAST_SECRET_LENGTH = 6
const SECRET_NAME = /pass|pwd|secret|token|auth|session|credential|signature|api-?key|^key$|^code$|^sig$/i
/** Finds whether there can be anything to hide in a text at all, which most are done with. */
const SUSPICIOUS = new RegExp(`://|bearer|basic|${SECRET_NAME.source.replace(/[$^]/g, '')}`, 'i')

/** Removes from a text what must reach no log: credentials in URLs and what the request's own headers hold. */
export function createRedactor(headers: IncomingHttpHeaders): (text: string) => string {
  return redactorOf(secretsOf(headers))
}

/** The same for what `secretsOf` has read. */
export function redactorOf(secrets: readonly string[]): (text: string) => string {
  return (text) => {
    const unnamed = SUSPICIOUS.test(text) ? hideNamed(text) : text
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), unnamed)
  }
}

function hideNamed(text: string): string {
  return text
    .replace(/:\/\/[^\s/@:]*:[^\s/@]*@/g, `://${HIDDEN}@`)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`)
    .replace(/([?&;]([\w.-]+)=)[^\s&;#"'`]+/g, (whole, start: string, name: string) =>
      SECRET_NAME.test(name) ? start + HIDDEN : whole,
    )
}

/** Removes what the visitor has written into a form or into JSON: an error's message may repeat it. */
export function hideBody(text: string, body: unknown): string {
  return bodyTexts(body).reduce((rest, value) => rest.replaceAll(value, HIDDEN), text)
}

/** The texts that a body holds, as far as they are long enough to be told from others. Longest first. */
export function bodyTexts(body: unknown): readonly string[] {
  if (body instanceof FormData) return longestFirst([...body.values()].filter((value) => typeof value === 'string'))
  return body === undefined || body === null ? NONE : longestFirst(textsIn(body))
}

/** Nobody's message repeats more. */
const MAX_TEXTS = 1_000

function textsIn(json: unknown): string[] {
  const texts: string[] = []
  const left = [json]
  const seen = new Set<object>()
  while (left.length > 0 && texts.length < MAX_TEXTS) {
    const value = left.pop()
    if (typeof value === 'string') texts.push(value)
    if (!isJsonObject(value) || seen.has(value)) continue
    seen.add(value)
    for (const part of Object.values(value)) left.push(part)
  }
  return texts
}

// Bodies may also be bytes, streams, and whatever a parser of the site's makes.
function isJsonObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}

const NONE: readonly string[] = []

const CREDENTIALS = ['authorization', 'proxy-authorization'] as const
const WITH_SECRETS = [...CREDENTIALS, 'cookie'] as const

/** What the headers of a request hold that nobody else is to read. Longest first. */
export function secretsOf(headers: IncomingHttpHeaders): readonly string[] {
  if (WITH_SECRETS.every((name) => headers[name] === undefined)) return NONE
  const values: string[] = []
  for (const name of CREDENTIALS) {
    const value = headers[name]
    if (value) values.push(value, value.slice(value.indexOf(' ') + 1))
  }
  for (const pair of headers.cookie?.split(';') ?? []) {
    const value = pair.slice(pair.indexOf('=') + 1).trim()
    const bare = value.replace(/^"(.*)"$/, '$1')
    values.push(value, bare, decodeLoosely(bare))
  }
  return longestFirst(values)
}

// One may be the beginning of another.
function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].filter((value) => value.length >= LEAST_SECRET_LENGTH).sort((a, b) => b.length - a.length)
}

function decodeLoosely(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
