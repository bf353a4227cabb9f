import t from 'tap'
import { createOccurrence } from '../../../src/server/failures/request-failures.ts'

t.test('an occurrence is 30 random bits', async (t) => {
  const occurrences = Array.from({ length: 2_000 }, createOccurrence)
  for (const occurrence of occurrences) if (!/^[0-9A-HJKMNP-TV-Z]{6}$/.test(occurrence)) t.fail(occurrence)
  // Two of 2000 are alike in one run of 500.
  t.ok(new Set(occurrences).size >= 1_998)
  const seen = Array.from({ length: 6 }, (_, place) => new Set(occurrences.map((text) => text.charAt(place))).size)
  t.strictSame(seen, [32, 32, 32, 32, 32, 32], 'each character occurs at each position')
})
