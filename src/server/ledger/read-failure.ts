import { fingerprintOfSide } from '../../shared/wire/digest-format.ts'
import type { FailureDetails, Ledger, ReadQuery } from './ledger.ts'

/**
 * Reads the failure of a fingerprint that a person typed; null for one that is not kept. In old digests the first
 * character did not say the side, so the ledger may now have that failure of the server under another first character.
 * Its occurrences from that time still have the old digest.
 */
export async function readFailure(
  ledger: Pick<Ledger, 'read'>,
  fingerprint: string,
  query: ReadQuery,
): Promise<FailureDetails | null> {
  const found = await ledger.read(fingerprint, query)
  const ofServer = fingerprintOfSide(fingerprint, 'server')
  if (ofServer === fingerprint) return found
  const renamed = await ledger.read(ofServer, query)
  const isMeant = renamed?.occurrences.some(({ digest }) => digest.startsWith(fingerprint))
  return isMeant ? renamed : (found ?? renamed)
}
