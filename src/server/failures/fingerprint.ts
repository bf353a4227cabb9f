import { createHash, createHmac } from 'node:crypto'
import { encodeBase32, FINGERPRINT_LENGTH, fingerprintOfSide } from '../../shared/wire/digest-format.ts'
import type { Side } from '../../shared/wire/public-error.ts'

export interface SourceFunction {
  /** Path in the site, with forward slashes. */
  file: string
  /** The function's name in the source; empty for none. */
  function: string
}

/** The parts of an error that its fingerprint is computed from. */
export interface FingerprintParts {
  type: string
  message: string
  /** The frames inside the site, innermost first. */
  frames: readonly SourceFunction[]
  /** The fingerprints of the two sides differ for the same error ('server'). */
  side?: Side
  /** A secret, without which the fingerprint cannot be computed (none). */
  key?: string
}

/**
 * Returns the fingerprint of a failure: the same for the same throw site on every machine and after a rebuild. Lines
 * and columns do not count, and neither do ids, numbers and quoted values in the message.
 */
export function fingerprintOf({ type, message, frames, side, key = '' }: FingerprintParts): string {
  const places = frames.map((frame) => `${frame.file}:${frame.function}`)
  const text = JSON.stringify(
    side === 'client'
      ? [type, maskMessage(maskAssets(message.replace(/\n+/g, ' '))), places, side]
      : [type, maskMessage(message), places],
  )
  const hash = key === '' ? createHash('sha256') : createHmac('sha256', key)
  return fingerprintOfSide(encodeBase32(hash.update(text).digest(), FINGERPRINT_LENGTH), side ?? 'server')
}

// The message of a browser contains the URL of a script that cannot be loaded. Only the name of the script counts,
// without the hash of the build: `later-part.js`.
function maskAssets(message: string): string {
  return message.replace(/\bhttps?:\/\/[^\s"'()]*\/([\w.]+(?:-[\w.]+)*?)(?:-[A-Z0-9]{8})?\.(js|css)\b/g, '$1.$2')
}

const CLOSING = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
])

// This is a loop, because a regular expression would search for the closing quote once for each opening quote, and a
// visitor may send thousands that are not closed.
function maskQuoted(text: string): string {
  const unclosed = new Set<string>()
  let masked = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const closing = CLOSING.get(text[at] ?? '')
    if (closing === undefined || unclosed.has(closing)) continue
    const end = text.indexOf(closing, at + 1)
    if (end === -1) unclosed.add(closing)
    else {
      masked += `${text.slice(from, at)}?`
      from = end + 1
      at = end
    }
  }
  return masked + text.slice(from)
}

/** The line with which Drizzle ends the message of a query that fails. The values may have several lines. */
const QUERY_PARAMETERS = /^params: [\s\S]*/m

const LEAST_ID_LENGTH = 16

/** Masks the parts of a message that differ between occurrences. Takes linear time for any input. */
export function maskMessage(message: string): string {
  // The order matters: quoted values may contain ids, and ids may contain numbers.
  return maskQuoted(message.replace(QUERY_PARAMETERS, ''))
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\w+(?:-+\w+)*/g, (word) => (word.length >= LEAST_ID_LENGTH && /\d/.test(word) ? '#' : word))
    .replace(/\b0x[0-9a-f]+\b/gi, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b/gi, '#')
    .replace(/-?\d+(?:[.,:]\d+)*/g, '#')
}
