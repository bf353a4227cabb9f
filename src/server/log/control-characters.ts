// URLs, host names and messages in a log come from clients. The characters that a terminal obeys are shown, not obeyed.

import { isAscii } from 'node:buffer'

const LINE_SEPARATORS = '\\u2028\\u2029'
/** They change the direction of a text. */
const BIDI = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const CONTROL = new RegExp(`[\\p{Cc}${LINE_SEPARATORS}${BIDI}]`, 'gu')
const CONTROL_RUN = new RegExp(`[\\p{Cc}${LINE_SEPARATORS}]+`, 'gu')
const BIDI_CHARACTER = new RegExp(`[${BIDI}]`, 'g')

/** Shows control and bidi characters as escapes: `\x1b`, `\u202e`. */
export function showControlCharacters(text: string): string {
  return text.replace(CONTROL, toEscape)
}

/** Shows control and bidi characters as escapes in all texts of plain data. Line breaks and tabs stay. */
export function showAllControlCharacters<Data>(data: Data): Data {
  // The result has the structure of the data, with other texts.
  return mapTexts(data, 0, (text) => showInLines(text).join('\n')) as Data
}

/** Puts a space in the place of control characters and line breaks, and removes bidi characters. */
export function removeControlCharacters(text: string): string {
  return text.replace(CONTROL_RUN, ' ').replace(BIDI_CHARACTER, '')
}

/** Escapes the control and bidi characters that JSON leaves as they are. The result is JSON with the same value. */
export function escapeControlCharacters(json: string): string {
  return CONTROL_IN_JSON.test(json) ? json.replace(ALL_CONTROL_IN_JSON, toJsonEscape) : json
}

/** Escapes the control and bidi characters that JSON leaves as they are, in a buffer with lines of JSON. */
export function escapeControlCharactersIn(lines: Buffer): Buffer {
  return isAscii(lines) && !lines.includes(DELETE) ? lines : Buffer.from(escapeControlCharacters(lines.toString()))
}

/** The only ASCII character that a terminal obeys and JSON does not escape. */
const DELETE = 0x7f

// JSON has escaped the characters before the space. Line breaks stay: no value of JSON contains one.
const CONTROL_IN_JSON = new RegExp(`[\\x7f-\\x9f${LINE_SEPARATORS}${BIDI}]`)
const ALL_CONTROL_IN_JSON = new RegExp(CONTROL_IN_JSON, 'g')

function toJsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Rewrites a line of JSON for a printer of unescaped values: none can pass for a line or control the terminal. */
export function sanitizeLine(json: string): string {
  try {
    return `${JSON.stringify(mapTexts(JSON.parse(json), 0, indentLines))}\n`
  } catch {
    return `${showControlCharacters(json.trimEnd())}\n`
  }
}

function mapTexts(value: unknown, depth: number, toText: (text: string, depth: number) => string): unknown {
  if (typeof value === 'string') return toText(value, depth)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, depth + 1, toText))
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [showControlCharacters(key), mapTexts(part, depth + 1, toText)]),
  )
}

// The printer indents nested values, but not those of the first level, such as the message.
const indentLines = (text: string, depth: number) => showInLines(text).join(depth === 1 ? '\n    ' : '\n')

function showInLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => line.split('\t').map(showControlCharacters).join('\t'))
}

function toEscape(character: string): string {
  const code = character.charCodeAt(0)
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
