import { findExportPlace } from '../errors/export-error.ts'
import type { Phase } from '../errors/failure-record.ts'
import { classifyThrown, type ThrownKind } from '../thrown/classify-thrown.ts'
import type { SourceFunction } from './fingerprint.ts'

/** A thrown value with its classification, which is made once: where the value is caught. */
export type CaughtError = ThrownKind & {
  thrown: unknown
  phase: Phase
  /**
   * The function that threw, for a value without a stack, or the export with a wrong value; null when it is not known.
   */
  origin: SourceFunction | null
}

/** Classifies a thrown value. To be called where the value is caught. */
export function catchError(thrown: unknown, phase: Phase, origin: SourceFunction | null = null): CaughtError {
  const wrong = findExportPlace(thrown)
  const place = wrong ? { file: wrong.file, function: wrong.name } : origin
  return Object.assign(classifyThrown(thrown), { thrown, phase, origin: place })
}
