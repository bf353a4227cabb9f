import { formatDigest, parseDigest } from '../../shared/wire/digest-format.ts'
import type { FailureDetails, Ledger } from '../ledger/ledger.ts'
import { placeNote } from '../ledger/place-note.ts'
import { readFailure } from '../ledger/read-failure.ts'
import { closestMatches } from '../util/closest-match.ts'

/** The result of a search for a digest or a fingerprint. */
export type FoundFailure =
  | {
      kind: 'found'
      failure: FailureDetails
      /** The complete digest; null if only a fingerprint was typed. */
      digest: string | null
      /** Whether the ledger has the occurrence of that digest. It is then the first one. */
      isKept: boolean
      /** See `placeNote`. */
      note: string | null
    }
  /** `nearest`: similar fingerprints that the ledger has. */
  | { kind: 'unknown'; nearest: string[] }

const MAX_NEAREST = 5

/** Finds the failure of a digest, or of a fingerprint, that a person typed. */
export async function findFailure(
  ledger: Pick<Ledger, 'read' | 'fingerprints'>,
  typed: string,
  limit?: number,
): Promise<FoundFailure> {
  const digest = parseDigest(typed)
  const query = { ...(limit === undefined ? {} : { limit }), ...(digest?.occurrence ? digest : {}) }
  const failure = digest && (await readFailure(ledger, digest.fingerprint, query))
  if (!failure) {
    const given = digest?.fingerprint ?? typed.trim().toUpperCase().slice(0, 20)
    return { kind: 'unknown', nearest: closestMatches(given, await ledger.fingerprints(), MAX_NEAREST) }
  }
  const whole = digest.occurrence ? formatDigest(digest.fingerprint, digest.occurrence) : null
  const isKept = failure.occurrences[0]?.digest === whole
  return { kind: 'found', failure, digest: whole, isKept, note: placeNote(failure) }
}
