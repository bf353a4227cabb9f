import type { FastifyBaseLogger } from 'fastify'
import type { HydrantError } from './hydrant-error.ts'

/** Logs an error of Hydrant as a warning about a route, with the advice (that of the error). */
export function warnOf(
  error: HydrantError,
  route: string,
  log: Pick<FastifyBaseLogger, 'warn'>,
  advice: string = error.fix,
) {
  log.warn({ code: error.code, route }, `${error.message}. ${advice}`)
}
