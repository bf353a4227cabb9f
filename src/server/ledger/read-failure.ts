import { fingerprintOfSide } from '../../shared/wire/digest-format.ts'
import type { FailureDetails, Ledger, ReadQuery } from './ledger.ts'

/**
 * Reads the failure of a fingerprint that a person typed; null if the ledger does not have it. The first character of
 * old digests does not say the side. The ledger may have such a failure of the server with another first character,
 * while the old occurrences still have the old digest.
 */
export async function readFailure(
  ledger: Pick<Ledger, 'read'>,
  fingerprint: string,
  query: ReadQuery,
): Promise<FailureDetails | null> {
  const found = await ledger.read(fingerprint, query)
  const serverFingerprint = fingerprintOfSide(fingerprint, 'server')
  if (serverFingerprint === fingerprint) return found
  const renamed = await ledger.read(serverFingerprint, query)
  const hasOldDigest = renamed?.occurrences.some(({ digest }) => digest.startsWith(fingerprint))
  return hasOldDigest ? renamed : (found ?? renamed)
}
