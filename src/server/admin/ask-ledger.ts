import type { FastifyBaseLogger } from 'fastify'
import { messageOf } from '../util/message-of.ts'

/** What somebody reads while the ledger cannot be asked. */
export const AWAY = 'The ledger cannot be read or written now; the log says why.'

/** What came of asking the ledger. */
export type Asked<T> = { kind: 'answered'; value: T } | { kind: 'away'; problem: string }

/** Never rejects: a ledger may be away at any time, and the log then says why. */
export async function askLedger<T>(work: () => Promise<T>, log: Pick<FastifyBaseLogger, 'error'>): Promise<Asked<T>> {
  try {
    return { kind: 'answered', value: await work() }
  } catch (error) {
    log.error({ err: error }, `the console could not read or write the ledger: ${messageOf(error)}`)
    return { kind: 'away', problem: AWAY }
  }
}
