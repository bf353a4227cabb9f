// What a log tells comes from anywhere: addresses, names of hosts, messages. What a terminal would obey is shown instead.

import { isAscii } from 'node:buffer'

// Also what turns the direction of a text around, and Unicode's own ends of lines.
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** The text with nothing in it that a terminal obeys. */
export function showControlCharacters(text: string): string {
  return text.replace(OBEYED, escapeSign)
}

/** JSON with the same signs escaped that it leaves as they are. Ends of lines stay: none is inside a value. */
export function escapeControlCharacters(json: string): string {
  return OBEYED_IN_JSON.test(json) ? json.replace(new RegExp(OBEYED_IN_JSON, 'g'), escapeInJson) : json
}

/** The same for lines as bytes. */
export function escapeObeyedIn(lines: Buffer): Buffer {
  return isAscii(lines) && !lines.includes(DELETE) ? lines : Buffer.from(escapeControlCharacters(lines.toString()))
}

/** The one sign of ASCII that a terminal obeys and JSON leaves as it is. */
const DELETE = 0x7f

// JSON has escaped what comes before a space; without the `u` of the one above V8 is done in half the time.
const OBEYED_IN_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const escapeInJson = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A line of a log, for what prints the values of its JSON as they are: none of them is another line, or commands it. */
export function sanitizeLine(json: string): string {
  try {
    return `${JSON.stringify(tame(JSON.parse(json), 0))}\n`
  } catch {
    return `${showControlCharacters(json.trimEnd())}\n`
  }
}

function tame(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return tameText(value, depth)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => tame(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [showControlCharacters(key), tame(part, depth + 1)]),
  )
}

// A message stands at the beginning of a line; what is inside of the others is indented by who prints it.
function tameText(text: string, depth: number): string {
  const lines = text.split(/\r?\n/).map((line) => line.split('\t').map(showControlCharacters).join('\t'))
  return lines.join(depth === 1 ? '\n    ' : '\n')
}

function escapeSign(sign: string): string {
  const code = sign.charCodeAt(0)
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
