import { formatDigest, parseDigest } from '../../shared/wire/digest-format.ts'
import type { FailureDetails, Ledger } from '../ledger/ledger.ts'
import { readFailure } from '../ledger/read-failure.ts'
import { closestMatches } from '../util/closest-match.ts'

/** What a digest, or its first half, leads to. */
export type FoundFailure =
  | {
      kind: 'found'
      failure: FailureDetails
      /** The whole digest, when that was asked for. */
      digest: string | null
      /** Is the occurrence of that digest the first one? */
      isKept: boolean
    }
  /** `nearest`: fingerprints that are close to the one given. */
  | { kind: 'unknown'; nearest: string[] }

const MAX_NEAREST = 5

/** Reads a digest as a person types it. */
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
  return { kind: 'found', failure, digest: whole, isKept: failure.occurrences[0]?.digest === whole }
}
