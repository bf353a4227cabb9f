// A digest is `FINGERPRINT-OCCURRENCE` in Crockford's base 32 (https://www.crockford.com/base32.html): digits and
// letters without I, L, O and U, so that it can be read out over a telephone.

import type { Side } from '../page-types.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const HALF = ALPHABET.length / 2
export const FINGERPRINT_LENGTH = 8
export const OCCURRENCE_LENGTH = 6

export interface Digest {
  fingerprint: string
  /** Missing when only the first half was given. */
  occurrence?: string
}

/** Writes bytes as base 32, five bits a character, `length` characters; from there on bytes must hold that many bits. */
export function encodeBase32(bytes: Uint8Array, length: number, from = 0): string {
  let text = ''
  let bits = 0
  let held = 0
  for (let at = from; text.length < length; at++) {
    held = (held << 8) | (bytes[at] ?? 0)
    bits += 8
    while (bits >= 5 && text.length < length) {
      bits -= 5
      text += ALPHABET.charAt((held >> bits) & 31)
    }
    held &= (1 << bits) - 1
  }
  return text
}

/**
 * Returns the fingerprint with a first character that says its side: one of the alphabet's first half (0 to F) for the
 * server, one of its second half (G to Z) for browsers. So no report of a browser ever has the fingerprint of a failure
 * on the server.
 */
export function fingerprintOfSide(fingerprint: string, side: Side): string {
  const place = ALPHABET.indexOf(fingerprint.charAt(0)) % HALF
  return ALPHABET.charAt(side === 'client' ? place + HALF : place) + fingerprint.slice(1)
}

export function formatDigest(fingerprint: string, occurrence: string): string {
  return `${fingerprint}-${occurrence}`
}

/**
 * Reads a digest as a person types it: any case, I and L for 1, O for 0, blanks and a missing hyphen.
 * Returns null for what is no digest.
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
