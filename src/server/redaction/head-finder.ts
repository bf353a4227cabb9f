import { LEAST_SECRET_LENGTH } from './secret-names.ts'

// Of a rolling hash (https://en.wikipedia.org/wiki/Rabin%E2%80%93Karp_algorithm).
const FACTOR = 0x01000193
const OLDEST = Array.from({ length: LEAST_SECRET_LENGTH }).reduce<number>((power) => Math.imul(power, FACTOR), 1)
const SLOTS_PER_VALUE = 16
const MOST_SLOTS = 1 << 18

/**
 * Tells whether a text may hold one of the values, each of at least `LEAST_SECRET_LENGTH` characters: most texts hold none.
 * It looks for the beginnings of all values at once, so a text costs the same for one value as for thousands.
 */
export function createHeadFinder(values: readonly string[]): (text: string) => boolean {
  if (values.length === 0) return () => false
  const heads = new Set(values.map((value) => value.slice(0, LEAST_SECRET_LENGTH)))
  const slots = new Uint8Array(2 ** Math.ceil(Math.log2(Math.min(heads.size * SLOTS_PER_VALUE, MOST_SLOTS))))
  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (slots.length - 1)
  for (const head of heads) slots[slotOf(hashOf(head))] = 1

  return (text) => {
    if (text.length < LEAST_SECRET_LENGTH) return false
    let hash = hashOf(text)
    for (let end = LEAST_SECRET_LENGTH; ; end++) {
      if (slots[slotOf(hash)] === 1 && heads.has(text.slice(end - LEAST_SECRET_LENGTH, end))) return true
      if (end >= text.length) return false
      const oldest = text.charCodeAt(end - LEAST_SECRET_LENGTH)
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(end) - Math.imul(oldest, OLDEST)) | 0
    }
  }
}

/** Of the first characters. */
function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < LEAST_SECRET_LENGTH; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0
  return hash
}
