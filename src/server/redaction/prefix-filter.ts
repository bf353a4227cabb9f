import { LEAST_SECRET_LENGTH } from './secret-names.ts'

// A rolling hash (https://en.wikipedia.org/wiki/Rabin%E2%80%93Karp_algorithm).
const FACTOR = 0x01000193
const OLDEST = Array.from({ length: LEAST_SECRET_LENGTH }).reduce<number>((power) => Math.imul(power, FACTOR), 1)
const SLOTS_PER_VALUE = 16
const MAX_SLOTS = 1 << 18

/**
 * Returns a function that says whether a text may hold one of the values, each of at least `LEAST_SECRET_LENGTH`
 * characters; false is certain. It looks for the first characters of all values in one pass, so a text costs the same
 * for one value as for thousands. Most texts hold none.
 */
export function createPrefixFilter(values: readonly string[]): (text: string) => boolean {
  if (values.length === 0) return () => false
  const prefixes = new Set(values.map((value) => value.slice(0, LEAST_SECRET_LENGTH)))
  const slots = new Uint8Array(2 ** Math.ceil(Math.log2(Math.min(prefixes.size * SLOTS_PER_VALUE, MAX_SLOTS))))
  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (slots.length - 1)
  for (const prefix of prefixes) slots[slotOf(hashOf(prefix))] = 1

  return (text) => {
    if (text.length < LEAST_SECRET_LENGTH) return false
    let hash = hashOf(text)
    for (let end = LEAST_SECRET_LENGTH; ; end++) {
      if (slots[slotOf(hash)] === 1 && prefixes.has(text.slice(end - LEAST_SECRET_LENGTH, end))) return true
      if (end >= text.length) return false
      const oldest = text.charCodeAt(end - LEAST_SECRET_LENGTH)
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(end) - Math.imul(oldest, OLDEST)) | 0
    }
  }
}

/** Hashes the first `LEAST_SECRET_LENGTH` characters. */
function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < LEAST_SECRET_LENGTH; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0
  return hash
}
