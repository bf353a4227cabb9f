import type { FastifyBaseLogger } from 'fastify'
import type { Side } from '../../shared/wire/public-error.ts'
import type { Phase } from '../errors/failure-record.ts'
import type { LoggedError } from './error-output.ts'

/** The log line of a failure. */
export interface FailureLine {
  digest: string
  side: Side
  phase: Phase
  /** Outside of any request this field and the next three are missing. */
  route?: string
  method?: string
  url?: string
  host?: string
  statusSent?: number
  traceId?: string
  spanId?: string
  pending?: readonly string[]
  /** Set when the browser shows the page in spite of the failure. */
  isRecovered?: true
  err: LoggedError
}

/** A request, or the log of an app. */
export interface LineTarget {
  log: FastifyBaseLogger
  /** The id of the request. */
  id?: string
}

/** Writes the log line of a failure. */
export function writeFailure(line: FailureLine, { log, id }: LineTarget, level: 'error' | 'fatal' = 'error') {
  const text = `${line.err.type}: ${line.err.message}`
  // In an app without a logger the line goes to standard error: a visitor's digest must lead to a line.
  if (isSilent(log))
    process.stderr.write(`${JSON.stringify({ level: LEVELS[level], reqId: id, ...line, msg: text })}\n`)
  else {
    errors.add(line.err)
    withOwnErrors(log)[level](line, text)
  }
}

/** Pino's public symbol for the serializers of a logger, in each of its versions. */
const SERIALIZERS = Symbol.for('pino.serializers')
const UNCHANGED = { err: (error: unknown) => error }
/** Serializers of other loggers, with `err` replaced. */
const derivedSerializers = new WeakMap<object, object>()
/** Serializers that `passOwnErrors` has changed. */
const changedSerializers = new WeakSet<object>()
/** The errors of failures, which are written as they are. */
const errors = new WeakSet<object>()

/**
 * Changes the `err` serializer of a logger, and of its children, to leave the errors of failures as they are. Only for
 * a logger that Hydrant created.
 *
 * perf: no logger is derived for each failure, 2.2 µs instead of 8.2 µs for its line, commit 8d8d4fde
 */
export function passOwnErrors(log: FastifyBaseLogger) {
  const serializers: unknown = Reflect.get(log, SERIALIZERS)
  if (!isSerializers(serializers)) return
  const { err = UNCHANGED.err } = serializers
  serializers.err = (error) => (typeof error === 'object' && error !== null && errors.has(error) ? error : err(error))
  changedSerializers.add(serializers)
}

// Pino's own serializer would fold the causes into the message.
// perf: `Object.create` instead of Pino's `child`, 7.5 µs instead of 10.6 µs for a line, commit 8d8d4fde
function withOwnErrors(log: FastifyBaseLogger): FastifyBaseLogger {
  const serializers: unknown = Reflect.get(log, SERIALIZERS)
  if (!isSerializers(serializers)) return log.child({}, { serializers: UNCHANGED })
  if (changedSerializers.has(serializers)) return log
  const derived = derivedSerializers.get(serializers) ?? { ...serializers, ...UNCHANGED }
  derivedSerializers.set(serializers, derived)
  return Object.create(log, { [SERIALIZERS]: { value: derived } })
}

function isSerializers(value: unknown): value is { err?: (error: unknown) => unknown } {
  return typeof value === 'object' && value !== null
}

// Pino's numbers of the levels.
const LEVELS = { error: 50, fatal: 60 }

// Fastify gives an app without a logger an object with the methods of a logger and without a level.
function isSilent(log: FastifyBaseLogger): boolean {
  return !('level' in log)
}
