import type { FastifyBaseLogger } from 'fastify'
import { messageOf } from '../util/message-of.ts'

/** The message for operators while the ledger cannot be read or written. */
export const LEDGER_UNAVAILABLE = 'The ledger cannot be read or written now; the log says why.'

/** The result of work on the ledger. */
export type LedgerResult<T> = { kind: 'done'; value: T } | { kind: 'unavailable'; problem: string }

/** Runs work on the ledger. Never rejects: an error is logged, and the result says that the ledger is unavailable. */
export async function tryLedger<T>(
  work: () => Promise<T>,
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<LedgerResult<T>> {
  try {
    return { kind: 'done', value: await work() }
  } catch (error) {
    log.error({ err: error }, `the console could not read or write the ledger: ${messageOf(error)}`)
    return { kind: 'unavailable', problem: LEDGER_UNAVAILABLE }
  }
}
