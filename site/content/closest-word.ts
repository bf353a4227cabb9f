/** Returns how many letters of a word may be wrong. Short words are similar by chance. */
function toleranceFor(word: string): number {
  return word.length < 4 ? 0 : word.length < 8 ? 1 : 2
}

/**
 * Returns the word that was probably meant by one with typing errors: the most similar one, and the most frequent one of
 * several. Returns undefined if no word is similar.
 *
 * @param counts How often each word occurs.
 */
export function closestWord(given: string, counts: ReadonlyMap<string, number>): string | undefined {
  const tolerance = toleranceFor(given)
  const similar = [...counts]
    .filter(([word]) => Math.abs(word.length - given.length) <= tolerance)
    .map(([word, count]) => ({ word, count, distance: editDistance(given, word) }))
    .filter(({ distance }) => distance <= tolerance)
  return similar.sort((a, b) => a.distance - b.distance || b.count - a.count)[0]?.word
}

/** The number of letters to insert, to remove, to replace, or to swap with their neighbor, row by row. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
