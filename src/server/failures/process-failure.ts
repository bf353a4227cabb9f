import type { FastifyBaseLogger } from 'fastify'
import { formatDigest } from '../../shared/wire/digest-format.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import { REDACTION_OUTSIDE_REQUESTS } from '../redaction/hidden.ts'
import { createOccurrence } from './digest.ts'
import type { ErrorAnalyzer } from './error-analyzer.ts'
import { writeFailure } from './failure-log.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

/** Writes the line of an exception outside of any request, and hands it over to be kept. Returns its digest. Never throws. */
export function recordProcessFailure(
  thrown: unknown,
  placeFrames: () => readonly MappedFrame[],
  { analyzeThrown: examineThrown }: ErrorAnalyzer,
  { release, build }: { release: string; build: string | null },
  log: FastifyBaseLogger,
  keep: (failure: FailureRecord) => void,
): string {
  const { fingerprint, logged, kept } = examineThrown(thrown, REDACTION_OUTSIDE_REQUESTS, placeFrames)
  const digest = formatDigest(fingerprint, createOccurrence())
  writeFailure({ digest, side: 'server', phase: 'process', err: logged }, { log }, 'fatal')
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
