import type { FastifyRequest } from 'fastify'
import type { Side } from '../shared/page-types.ts'
import type { LoggedError } from './examine.ts'
import type { Phase } from './ledger/ledger.ts'

/** What one line of the log tells of a failure. */
export interface FailureLine {
  digest: string
  side: Side
  phase: Phase
  route: string
  method: string
  url: string
  host: string
  statusSent?: number
  traceId?: string
  spanId?: string
  pending?: readonly string[]
  err: LoggedError
}

/** Writes the line of a failure in a request, to the app's log. */
export function writeFailure(line: FailureLine, { log, id }: Pick<FastifyRequest, 'log' | 'id'>) {
  const text = `${line.err.type}: ${line.err.message}`
  // An app without a logger still must not give out a digest that nobody can look up.
  if (isSilent(log)) process.stderr.write(`${JSON.stringify({ level: 50, reqId: id, ...line, msg: text })}\n`)
  // Pino's own way with errors would fold the causes into the message.
  else log.child({}, { serializers: { err: (error: unknown) => error } }).error(line, text)
}

// Fastify's logger of an app without one has the methods, but no level.
function isSilent(log: FastifyRequest['log']): boolean {
  return !('level' in log)
}
