import { createHash } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Eight characters of base 32, as esbuild writes hashes: 40 bits, and fit for a file's name in any case. */
export function contentHash(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return Array.from(hash.digest().subarray(0, 8), (byte) => ALPHABET[byte % 32]).join('')
}
