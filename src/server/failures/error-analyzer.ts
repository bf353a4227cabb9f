import type { KeptError } from '../errors/failure-record.ts'
import type { Redaction } from '../redaction/request-redaction.ts'
import { remember } from '../util/remember.ts'
import { type Description, describeThrown } from './describe-thrown.ts'
import { type LoggedError, toKeptError, toLoggedError } from './error-output.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type FingerprintSettings, fingerprintError } from './fingerprint-error.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

/** An error with its fingerprint, mapped to the source and redacted. */
export interface AnalyzedError {
  /** The first half of the digest. */
  fingerprint: string
  logged: LoggedError
  kept: KeptError
}

/** Returns the frames of the place where an error was thrown, for an error without a frame in the site. */
export type PlaceFrames = () => readonly MappedFrame[]

export interface ErrorAnalyzer {
  /** Analyzes any thrown value. Never throws. */
  analyzeThrown(thrown: unknown, redaction: Redaction, placeFrames: PlaceFrames): AnalyzedError
  /** Analyzes an error that was described before. */
  analyzeDescription(description: Description, redaction: Redaction, placeFrames: PlaceFrames): AnalyzedError
}

const MAX_CACHED = 500

/**
 * Creates an analyzer.
 *
 * perf: cached by the text of the error, as the same error often occurs again, 0.7 µs instead of 24 µs, commit 8d8d4fde
 */
export function createErrorAnalyzer(settings: FingerprintSettings): ErrorAnalyzer {
  const cache = new Map<string, AnalyzedError>()

  function analyzeDescription(description: Description, redaction: Redaction, placeFrames: PlaceFrames): AnalyzedError {
    const key = keyOf(description)
    const isPrivate = key === null || redaction.mayHold(key)
    const cached = isPrivate ? undefined : cache.get(key)
    if (cached) return cached
    const { fingerprint, error, isPlaced } = fingerprintError(description, redaction, placeFrames, settings)
    const analyzed = {
      fingerprint,
      logged: toLoggedError(error, settings.mapper, redaction),
      kept: toKeptError(error, settings.mapper, redaction),
    }
    // The frames of an error that is not placed depend on where it was caught.
    if (isPrivate || !isPlaced) return analyzed
    return remember(cache, MAX_CACHED, key, analyzed)
  }

  function analyzeThrown(thrown: unknown, redaction: Redaction, placeFrames: PlaceFrames): AnalyzedError {
    try {
      return analyzeDescription(describeThrown(thrown), redaction, placeFrames)
    } catch (error) {
      // The analysis itself failed. The line names both errors, under a fingerprint of their own.
      const { type, message } = describeThrown(error)
      const description = { type: 'FailurePath', message: `the analysis of a failure failed: ${message}` }
      const fingerprint = fingerprintOf({ type: description.type, message: type, frames: [], key: settings.key })
      return { fingerprint, logged: { ...description, stack: '' }, kept: { ...description, stack: [] } }
    }
  }

  return { analyzeThrown, analyzeDescription }
}

// Returns null for an error that consists of more than its type, message, code and frames.
function keyOf({ type, message, stack, code = '', ownDigest, cause, errors }: Description): string | null {
  if (ownDigest !== undefined || cause || errors) return null
  return `${type}\n${code}\n${message}\n${stack}`
}
