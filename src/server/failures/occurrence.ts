import { encodeBase32, OCCURRENCE_LENGTH } from '../../shared/wire/digest-format.ts'
import { createRandomPool } from '../util/random-pool.ts'

const OCCURRENCE_BYTES = 4
const occurrences = createRandomPool(OCCURRENCE_BYTES)

/** Names a request: 30 random bits. */
export function createOccurrence(): string {
  return encodeBase32(occurrences.bytes, OCCURRENCE_LENGTH, occurrences.next())
}
