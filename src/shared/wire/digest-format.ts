// A digest is `FINGERPRINT-OCCURRENCE` in Crockford's base 32 (https://www.crockford.com/base32.html): digits and
// letters without I, L, O and U, so that it can be read out over a telephone.

import type { Side } from './public-error.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const HALF = ALPHABET.length / 2
export const FINGERPRINT_LENGTH = 8
export const OCCURRENCE_LENGTH = 6

/** The parts of a digest, in upper case. */
export interface Digest {
  /** Identifies the failure: 8 characters. */
  fingerprint: string
  /** Identifies the request: 6 characters. Missing in a digest that has only the first half. */
  occurrence?: string
}

/** Encodes bytes as base 32, five bits for each character. There must be enough bytes after `from` for `length`. */
export function encodeBase32(bytes: Uint8Array, length: number, from = 0): string {
  let text = ''
  let bits = 0
  let buffer = 0
  for (let at = from; text.length < length; at++) {
    buffer = (buffer << 8) | (bytes[at] ?? 0)
    bits += 8
    while (bits >= 5 && text.length < length) {
      bits -= 5
      text += ALPHABET.charAt((buffer >> bits) & 31)
    }
    buffer &= (1 << bits) - 1
  }
  return text
}

/**
 * Returns the fingerprint with a first character that marks its side: 0 to F, the first half of the alphabet, for the
 * server, and G to Z for browsers. A browser's report therefore never has the fingerprint of a failure on the server.
 */
export function fingerprintOfSide(fingerprint: string, side: Side): string {
  const index = ALPHABET.indexOf(fingerprint.charAt(0)) % HALF
  return ALPHABET.charAt(side === 'client' ? index + HALF : index) + fingerprint.slice(1)
}

export function formatDigest(fingerprint: string, occurrence: string): string {
  return `${fingerprint}-${occurrence}`
}

/**
 * Parses a digest as a person types it: in any case, with I and L for 1, with O for 0, with blanks, without the hyphen.
 * Returns null for any other text.
 */
export function parseDigest(typed: string): Digest | null {
  const text = typed
    .toUpperCase()
    .replace(/^\s*DIGEST:/, '')
    .replace(/[\s-]/g, '')
    .replace(/[IL]/g, '1')
    .replace(/O/g, '0')
  if (!/^[0-9A-HJKMNP-TV-Z]*$/.test(text)) return null
  if (text.length === FINGERPRINT_LENGTH) return { fingerprint: text }
  if (text.length !== FINGERPRINT_LENGTH + OCCURRENCE_LENGTH) return null
  return { fingerprint: text.slice(0, FINGERPRINT_LENGTH), occurrence: text.slice(FINGERPRINT_LENGTH) }
}
