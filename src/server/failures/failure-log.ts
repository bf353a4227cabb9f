import type { FastifyBaseLogger } from 'fastify'
import type { Side } from '../../shared/page-types.ts'
import type { Phase } from '../errors/failure-record.ts'
import type { LoggedError } from './analyze-error.ts'

/** What one line of the log tells of a failure. */
export interface FailureLine {
  digest: string
  side: Side
  phase: Phase
  /** Missing, as the next ones, outside of any request. */
  route?: string
  method?: string
  url?: string
  host?: string
  statusSent?: number
  traceId?: string
  spanId?: string
  pending?: readonly string[]
  /** Does the browser show the page all the same? */
  isRecovered?: true
  err: LoggedError
}

/** Where a failure's line goes. */
export interface LineTarget {
  log: FastifyBaseLogger
  /** The request's; missing outside of any. */
  id?: string
}

/** Writes the line of a failure, to the app's log. */
export function writeFailure(line: FailureLine, { log, id }: LineTarget, level: 'error' | 'fatal' = 'error') {
  const text = `${line.err.type}: ${line.err.message}`
  // An app without a logger still must not give out a digest that nobody can look up.
  if (isSilent(log))
    process.stderr.write(`${JSON.stringify({ level: LEVELS[level], reqId: id, ...line, msg: text })}\n`)
  else {
    own.add(line.err)
    withOwnErrors(log)[level](line, text)
  }
}

/** The symbol that Pino publishes for a logger's serializers, whichever version it is. */
const SERIALIZERS = Symbol.for('pino.serializers')
const asItIs = { err: (error: unknown) => error }
const changed = new WeakMap<object, object>()
const passing = new WeakSet<object>()
const own = new WeakSet<object>()

/**
 * Lets the errors of failures through a logger that is ours to change, and through all that come of it. Any other is derived
 * from for each failure, at the cost of a twentieth of it.
 */
export function passOwnErrors(log: FastifyBaseLogger) {
  const serializers: unknown = Reflect.get(log, SERIALIZERS)
  if (!isSerializers(serializers)) return
  const { err = asItIs.err } = serializers
  serializers.err = (error) => (typeof error === 'object' && error !== null && own.has(error) ? error : err(error))
  passing.add(serializers)
}

// Pino's own way with errors would fold the causes into the message. Its `child` does the same for any logger; of this, one
// for each failure is a good part of what a failure costs.
function withOwnErrors(log: FastifyBaseLogger): FastifyBaseLogger {
  const serializers: unknown = Reflect.get(log, SERIALIZERS)
  if (!isSerializers(serializers)) return log.child({}, { serializers: asItIs })
  if (passing.has(serializers)) return log
  const derived = changed.get(serializers) ?? { ...serializers, ...asItIs }
  changed.set(serializers, derived)
  return Object.create(log, { [SERIALIZERS]: { value: derived } })
}

function isSerializers(value: unknown): value is { err?: (error: unknown) => unknown } {
  return typeof value === 'object' && value !== null
}

// Pino's numbers.
const LEVELS = { error: 50, fatal: 60 }

// Fastify's logger of an app without one has the methods, but no level.
function isSilent(log: FastifyBaseLogger): boolean {
  return !('level' in log)
}
