import type { ErrorCode } from './error-table.ts'
import { createHydrantError, type HydrantError } from './hydrant-error.ts'

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
