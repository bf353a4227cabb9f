import type { FastifyBaseLogger } from 'fastify'
import { createOutageLog, type OutageLog } from '../../log/outage-log.ts'
import { connectionMessageOf } from '../../util/message-of.ts'

export type StoreLog = Pick<FastifyBaseLogger, 'warn' | 'info'>

/**
 * Logs the outages of a store. `place` names the store. The lines contain only the messages of errors, because other
 * properties of a driver's error contain commands with passwords.
 */
export function createStoreOutage(log: StoreLog, place: string): OutageLog {
  return createOutageLog(
    (error) =>
      log.warn(
        `the page cache cannot use ${place}, so each process caches pages in its own memory for now: ${describeOutage(error)}`,
      ),
    () => log.info(`the page cache uses ${place} again`),
  )
}

function describeOutage(error: unknown): string {
  const fix = error instanceof Error && 'fix' in error ? `. ${String(error.fix)}` : ''
  return `${connectionMessageOf(error)}${fix}`
}
