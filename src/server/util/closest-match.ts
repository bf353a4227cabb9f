/** Returns the candidate that is most like the text, or undefined when more than a third of the letters differ. */
export function closestMatch(given: string, candidates: readonly string[]): string | undefined {
  return closestMatches(given, candidates, 1)[0]
}

/** Returns the part of a message that names the candidate that was probably meant; an empty string for none. */
export function hintAtClosest(
  given: string,
  candidates: readonly string[],
  write = (closest: string) => `"${closest}"`,
): string {
  const closest = closestMatch(given, candidates)
  return closest ? `; did you mean ${write(closest)}?` : ''
}

/** Returns up to `count` candidates of which at most a third of the letters differ, the most similar first. */
export function closestMatches(given: string, candidates: readonly string[], count: number): string[] {
  const maxDistance = Math.max(2, Math.floor(given.length / 3))
  return candidates
    .map((candidate) => ({ candidate, distance: editDistance(given.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

const LONG_NAME = 9

/**
 * Returns whether a name is almost certainly a misspelling of another one. Either both differ only in case, `-`, `_`
 * and `.`, or one letter inside is wrong, missing, added or swapped with its neighbor; in a long name, two. The first
 * and the last letter must be right: `errors` and `mirror` are words of their own.
 */
export function isMisspelling(given: string, meant: string): boolean {
  if (given === meant) return false
  const [a, b] = [given, meant].map((name) => name.toLowerCase().replace(/[-_.]/g, '')) as [string, string]
  if (a === b) return true
  if (a[0] !== b[0] || a.at(-1) !== b.at(-1)) return false
  return editDistance(a, b) <= (b.length < LONG_NAME ? 1 : 2)
}

/** The number of letters to insert, remove, replace, or swap with their neighbor, row by row. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(substituted, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
