import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { addThrottledLine } from '../log/throttled-line.ts'
import type { FindTrace } from '../options/config.ts'
import { type Redaction, redactionFor } from '../redaction/request-redaction.ts'
import { describeThrown } from './describe-thrown.ts'
import { toSourceError } from './error-analyzer.ts'
import { type LoggedError, toLoggedError, writeError } from './failure-log.ts'
import type { SourceMapper } from './stacks/source-map.ts'

// Errors of the options that are functions. They are no failures: the response is the same, and they have no digest.

/** Takes what an option has thrown for a request. Never throws. */
export type TakeOptionError = (thrown: unknown, request: FastifyRequest) => void

/** Creates a function that logs what an option throws, once a minute at most, without the secrets of the request. */
export function createOptionErrors(option: string, app: FastifyInstance): TakeOptionError {
  let last: { thrown: unknown; request: FastifyRequest } | null = null
  const count = addThrottledLine(app, () => {
    if (last) warnOfThrown(last.thrown, redactionFor(last.request), app.log, () => `the option "${option}" threw`)
    last = null
  })
  return (thrown, request) => {
    last = { thrown, request }
    count()
  }
}

/** Returns the option `traceOf` as a function that never throws: its errors are logged without the secrets of the request. */
export function logTraceErrors(traceOf: FindTrace | null): FindTrace | null {
  if (traceOf === null) return null
  return (request) => {
    try {
      const found = traceOf(request)
      return found && { traceId: String(found.traceId), spanId: String(found.spanId) }
    } catch (thrown) {
      warnOfThrown(thrown, redactionFor(request), request.log, () => 'traceOf threw')
      return null
    }
  }
}

/** Leaves frames and names as they are. */
const NO_MAPPER: SourceMapper = {
  mapFrame: (text) => ({ text, frame: null }),
  mapName: (name) => name,
  codeAround: () => null,
}

/** Logs a thrown value as a warning, without secrets. `textOf` gets the error as the line has it. */
export function warnOfThrown(
  thrown: unknown,
  redaction: Redaction,
  log: FastifyBaseLogger,
  textOf: (err: LoggedError) => string,
  details: object = {},
) {
  const err = toLoggedError(toSourceError(describeThrown(thrown), NO_MAPPER, redaction), NO_MAPPER, redaction)
  writeError({ err, ...details }, log, 'warn', textOf(err))
}
