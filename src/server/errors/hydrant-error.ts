import createError, { type FastifyError } from '@fastify/error'
import type { FastifyBaseLogger } from 'fastify'
import { type ErrorCode, type ErrorEntry, errorTable } from './error-table.ts'

/** An error that Hydrant throws: `code` identifies it, `fix` says what to do about it. */
export type HydrantError = FastifyError & { fix: string }

/**
 * Creates the error with this code.
 *
 * @param values Replace each `%s` of the message, in order.
 */
export function createHydrantError(
  code: ErrorCode,
  values: readonly (string | number)[],
  cause?: unknown,
): HydrantError {
  const { message, fix, statusCode = 500 }: ErrorEntry = errorTable[code]
  const HydrantError = createError(code, message, statusCode)
  // Pino reads the type of an error from its constructor.
  Object.defineProperty(HydrantError, 'name', { value: 'HydrantError' })
  const error = new HydrantError(...values, ...(cause === undefined ? [] : [{ cause }]))
  error.name = 'HydrantError'
  // The stack was written under the name FastifyError and begins with this function.
  Error.captureStackTrace(error, createHydrantError)
  return Object.assign(error, { fix })
}

/**
 * Formats a value for a message as it would be written in code, in at most 80 characters. The properties of objects are
 * left out, because they may be secrets.
 */
export function showValue(value: unknown): string {
  const text = Array.isArray(value) ? `[${value.map(showItem).join(', ')}]` : showItem(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

function showItem(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return '[…]'
  const text = String(value)
  return text === '[object Object]' ? '{…}' : text
}

/** An export of a module of the site. */
export interface ExportPlace {
  /** Path in the site. */
  file: string
  name: string
}

const places = new WeakMap<object, ExportPlace>()

/**
 * Creates the error for an export with a wrong value. Its stack does not lead to the export, which has no code that
 * runs.
 */
export function createExportError(
  code: ErrorCode,
  values: readonly (string | number)[],
  place: ExportPlace,
): HydrantError {
  const error = createHydrantError(code, values)
  places.set(error, place)
  return error
}

/** Returns the export that an error of `createExportError` is about; null for any other thrown value. */
export function findExportPlace(thrown: unknown): ExportPlace | null {
  return typeof thrown === 'object' && thrown !== null ? (places.get(thrown) ?? null) : null
}

/** Logs an error of Hydrant as a warning about a route, with the advice (that of the error). */
export function warnOf(
  error: HydrantError,
  route: string,
  log: Pick<FastifyBaseLogger, 'warn'>,
  advice: string = error.fix,
) {
  log.warn({ code: error.code, route }, `${error.message}. ${advice}`)
}
