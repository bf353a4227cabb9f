import { randomFillSync } from 'node:crypto'

const PIECES = 128

/** Random bytes in pieces of equal length. */
export interface RandomPool {
  readonly bytes: Buffer
  /** Returns where in `bytes` the next unused piece begins. The piece changes when more pieces are drawn. */
  next(): number
}

/**
 * Draws the random bytes of many pieces at a time.
 *
 * perf: no call of `randomBytes` for each piece, 0.1 µs instead of 2.5 µs for 18 bytes, commit 8d8d4fde
 */
export function createRandomPool(pieceBytes: number): RandomPool {
  const bytes = Buffer.alloc(PIECES * pieceBytes)
  let end = bytes.length
  return {
    bytes,
    next() {
      if (end === bytes.length) {
        randomFillSync(bytes)
        end = 0
      }
      end += pieceBytes
      return end - pieceBytes
    },
  }
}
