import { formatDigest, parseDigest } from '../../shared/wire/digest-format.ts'
import type { CauseDetails, Ledger } from '../ledger/ledger.ts'
import { readCause } from '../ledger/read-failure.ts'
import { closestMatches } from '../util/closest-match.ts'

/** What a digest, or its first half, leads to. */
export type FoundFailure =
  | {
      kind: 'found'
      failure: CauseDetails
      /** The whole digest, when that was asked for. */
      digest: string | null
      /** Is the occurrence of that digest the first one? */
      isKept: boolean
    }
  /** `nearest`: causes that may have been meant. */
  | { kind: 'unknown'; nearest: string[] }

const MAX_NEAREST = 5

/** Reads a digest as a person types it. */
export async function findFailure(
  ledger: Pick<Ledger, 'read' | 'causes'>,
  typed: string,
  limit?: number,
): Promise<FoundFailure> {
  const digest = parseDigest(typed)
  const query = { ...(limit === undefined ? {} : { limit }), ...(digest?.occurrence ? digest : {}) }
  const failure = digest && (await readCause(ledger, digest.cause, query))
  if (!failure) {
    const given = digest?.cause ?? typed.trim().toUpperCase().slice(0, 20)
    return { kind: 'unknown', nearest: closestMatches(given, await ledger.causes(), MAX_NEAREST) }
  }
  const whole = digest.occurrence ? formatDigest(digest.cause, digest.occurrence) : null
  return { kind: 'found', failure, digest: whole, isKept: failure.occurrences[0]?.digest === whole }
}
