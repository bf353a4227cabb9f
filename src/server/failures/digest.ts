import { createHash, createHmac, randomFillSync } from 'node:crypto'
import type { Side } from '../../shared/page-types.ts'
import {
  encodeBase32,
  FINGERPRINT_LENGTH,
  fingerprintOfSide,
  OCCURRENCE_LENGTH,
} from '../../shared/wire/digest-format.ts'

export interface SourceFunction {
  /** Path in the site, with forward slashes. */
  file: string
  /** The function's name in the source; empty for none. */
  function: string
}

/** The parts of an error that its fingerprint is made of. */
export interface FingerprintParts {
  type: string
  message: string
  /** The frames inside the site, innermost first. */
  frames: readonly SourceFunction[]
  /** ('server') A report of a browser never has the fingerprint of a failure on the server. */
  side?: Side
  /** A secret: without it nobody can compute the fingerprint (none). */
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

// Messages of browsers name the script that cannot be loaded: `later-part`, wherever the site is and whatever the build.
function maskAssets(message: string): string {
  return message.replace(/\bhttps?:\/\/[^\s"'()]*\/([\w.]+(?:-[\w.]+)*?)(?:-[A-Z0-9]{8})?\.(js|css)\b/g, '$1.$2')
}

const OCCURRENCE_BYTES = 4
// Drawn from the system for many at once, which costs little more than for one.
const drawn = Buffer.alloc(256 * OCCURRENCE_BYTES)
let at = drawn.length

/** Names a request: 30 random bits. */
export function createOccurrence(): string {
  if (at === drawn.length) {
    randomFillSync(drawn)
    at = 0
  }
  const occurrence = encodeBase32(drawn, OCCURRENCE_LENGTH, at)
  at += OCCURRENCE_BYTES
  return occurrence
}

const CLOSING = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
])

// A pattern would look for the end of a quotation from each beginning: a visitor may write thousands that have none.
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

const LEAST_ID_LENGTH = 16
const maskLongId = (word: string) => (word.length >= LEAST_ID_LENGTH && /\d/.test(word) ? '#' : word)

/** Replaces what differs from time to time in a message by a sign. Takes as long as the message is, whatever it says. */
export function maskMessage(message: string): string {
  // In this order: quoted values first, as they may hold numbers; then ids, which are numbers in part.
  return maskQuoted(message)
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\w+(?:-+\w+)*/g, maskLongId)
    .replace(/\b0x[0-9a-f]+\b/gi, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b/gi, '#')
    .replace(/-?\d+(?:[.,:]\d+)*/g, '#')
}
