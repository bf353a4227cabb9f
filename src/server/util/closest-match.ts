/** Returns the candidate that is most like the text, or undefined when more than a third of the letters differ. */
export function closestMatch(given: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(given.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(given.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
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

// The Levenshtein distance, row by row.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
