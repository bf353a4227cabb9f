import { createHash } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Returns a hash of 40 bits as eight characters of base 32, esbuild's format. It is safe in file names, also on disks
 * that ignore case.
 */
export function contentHash(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return Array.from(hash.digest().subarray(0, 8), (byte) => ALPHABET[byte % 32]).join('')
}
