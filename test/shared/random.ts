/** A pseudo-random generator with the same numbers in each run, so a failing case fails again. */
export interface Random {
  /** Returns a number from 0 to just below 1. */
  next(): number
  /** Returns an integer from 0 to just below `limit`. */
  below(limit: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  bytes(length: number): Uint8Array
  /** Returns characters of `alphabet`. */
  text(length: number, alphabet: string): string
}

/** Creates the generator (Mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: ([first, ...rest]) => [first, ...rest][below(rest.length + 1)] ?? first,
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
    text: (length, alphabet) => Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
  }
}
