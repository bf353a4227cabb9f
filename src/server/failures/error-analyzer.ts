import type { KeptError } from '../errors/failure-record.ts'
import type { Redaction } from '../redaction/hidden.ts'
import { analyzeError, type LoggedError, type Naming, toKept, toLogged } from './analyze-error.ts'
import { type Description, describeThrown } from './describe-thrown.ts'
import { fingerprintOf } from './digest.ts'
import type { SourceMapper } from './stacks/source-map.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

/** All that is told of what was thrown. */
export interface AnalyzedError {
  /** The first half of the digest. */
  fingerprint: string
  logged: LoggedError
  kept: KeptError
}

/** Examines anything at all that was thrown, or an error that has been described elsewhere. Never throws. */
export interface ErrorAnalyzer {
  analyzeThrown(thrown: unknown, hidden: Redaction, placeFrames: () => readonly MappedFrame[]): AnalyzedError
  analyzeDescription(
    description: Description,
    hidden: Redaction,
    placeFrames: () => readonly MappedFrame[],
  ): AnalyzedError
}

const MAX_KNOWN = 500

/**
 * What fails once often fails again, and to examine it is most of what a failure costs: what is told is made once for
 * failures that are alike to the letter.
 */
export function createErrorAnalyzer(mapper: SourceMapper, naming: Naming): ErrorAnalyzer {
  const known = new Map<string, AnalyzedError>()

  function examineDescription(
    description: Description,
    hidden: Redaction,
    placeFrames: () => readonly MappedFrame[],
  ): AnalyzedError {
    const key = keyOf(description)
    const isPrivate = key === null || hidden.mayHold(key)
    const found = isPrivate ? undefined : known.get(key)
    if (found) return found
    const { fingerprint, error, isPlaced } = analyzeError(description, mapper, hidden, placeFrames, naming)
    const told = { fingerprint, logged: toLogged(error, hidden), kept: toKept(error, mapper, hidden) }
    // One without a frame of the site is told by the place where it was met.
    if (isPrivate || !isPlaced) return told
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(key, told)
    return told
  }

  function examineThrown(thrown: unknown, hidden: Redaction, placeFrames: () => readonly MappedFrame[]): AnalyzedError {
    try {
      return examineDescription(describeThrown(thrown), hidden, placeFrames)
    } catch (error) {
      // The path of failures failed itself: say both, as far as they can be said, under a digest of its own.
      const { type, message } = describeThrown(error)
      const own = { type: 'FailurePath', message: `the analysis of a failure failed: ${message}` }
      const fingerprint = fingerprintOf({ type: own.type, message: type, frames: [], key: naming.key })
      return { fingerprint, logged: { ...own, stack: '' }, kept: { ...own, stack: [] } }
    }
  }

  return { analyzeThrown: examineThrown, analyzeDescription: examineDescription }
}

// Null for one that is more than its type, message and frames.
function keyOf({ type, message, stack, ownDigest, cause, errors }: Description): string | null {
  if (ownDigest !== undefined || cause || errors) return null
  return `${type}\n${message}\n${stack}`
}
