import type { FastifyBaseLogger } from 'fastify'
import { formatDigest } from '../../shared/wire/digest-format.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { Redaction } from '../redaction/request-redaction.ts'
import type { ErrorAnalyzer, PlaceFrames } from './error-analyzer.ts'
import { writeFailure } from './failure-log.ts'
import { createOccurrence } from './occurrence.ts'

export interface ProcessFailureInput {
  analyzer: ErrorAnalyzer
  placeFrames: PlaceFrames
  release: string
  /** The id of the build; null when the build could not be read. */
  build: string | null
  log: FastifyBaseLogger
  level: 'error' | 'fatal'
  keep(failure: FailureRecord): void
  /** Removes the secrets of the requests that may have started the work. */
  redaction: Redaction
}

/** Logs and keeps an exception that was thrown outside of any request. Returns its digest. Never throws. */
export function recordProcessFailure(
  thrown: unknown,
  { analyzer, placeFrames, release, build, log, level, keep, redaction }: ProcessFailureInput,
): string {
  const { fingerprint, logged, kept } = analyzer.analyzeThrown(thrown, redaction, placeFrames)
  const digest = formatDigest(fingerprint, createOccurrence())
  writeFailure({ digest, side: 'server', phase: 'process', err: logged }, { log }, level)
  keep({
    digest,
    fingerprint,
    side: 'server',
    phase: 'process',
    time: Date.now(),
    message: kept.message,
    error: kept,
    route: null,
    method: null,
    path: null,
    host: null,
    requestId: null,
    release,
    userAgent: null,
    statusSent: null,
    isRecovered: false,
    ...(build === null ? {} : { build }),
  })
  return digest
}
