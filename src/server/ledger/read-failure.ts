import { causeOfSide } from '../../shared/wire/digest-format.ts'
import type { CauseDetails, Ledger, ReadQuery } from './ledger.ts'

/**
 * Reads what a person has typed. In digests from before the first character told the side, it may be another one for a
 * failure on the server than the ledger has now; occurrences of then still have it.
 */
export async function readCause(
  ledger: Pick<Ledger, 'read'>,
  cause: string,
  query: ReadQuery,
): Promise<CauseDetails | null> {
  const found = await ledger.read(cause, query)
  const ofServer = causeOfSide(cause, 'server')
  if (ofServer === cause) return found
  const renamed = await ledger.read(ofServer, query)
  const isMeant = renamed?.occurrences.some(({ digest }) => digest.startsWith(cause))
  return isMeant ? renamed : (found ?? renamed)
}
