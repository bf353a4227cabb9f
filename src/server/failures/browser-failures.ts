import type { FastifyRequest } from 'fastify'
import { formatDigest } from '../../shared/wire/digest-format.ts'
import { publicAddress } from '../http/public-address.ts'
import type { Description } from './describe-thrown.ts'
import { createErrorAnalyzer, type ErrorAnalyzer, type PlaceFrames } from './error-analyzer.ts'
import type { RecordFailure } from './record-failure.ts'
import { type RequestFailures, redactedRequestId } from './request-failures.ts'
import type { SourceMapper } from './stacks/source-map.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

/** A failure that a browser has reported. */
export interface BrowserFailure {
  description: Description
  /** Maps the frames to the source. */
  mapper: SourceMapper
  route: string
  /** Path of the page, without a query. */
  path: string
  placeFrames: PlaceFrames
  /** Returns the components around the place, innermost first. */
  components(): readonly MappedFrame[]
  release: string
  /** The id of the page's build; null for an unknown build. */
  build: string | null
  isRecovered: boolean
}

/** Records a failure under the request that reported it. Never throws. */
export type RecordBrowserFailure = (failure: BrowserFailure, request: FastifyRequest, of: RequestFailures) => void

/** @param key The option `digestKey`; empty for none. */
export function createBrowserFailures(key: string, record: RecordFailure): RecordBrowserFailure {
  /** One analyzer for each mapper: its cache of analyzed errors is valid as long as the mapper is. */
  const analyzers = new WeakMap<SourceMapper, ErrorAnalyzer>()

  function analyzerOf(mapper: SourceMapper): ErrorAnalyzer {
    const analyzer = analyzers.get(mapper) ?? createErrorAnalyzer({ mapper, side: 'client', key })
    analyzers.set(mapper, analyzer)
    return analyzer
  }

  return (failure, request, { redaction, occurrence }) => {
    const { description, mapper, route, path, placeFrames, components, release, build, isRecovered } = failure
    const error = analyzerOf(mapper).analyzeDescription(description, redaction, placeFrames)
    record(
      {
        digest: formatDigest(error.fingerprint, occurrence),
        error,
        side: 'client',
        phase: 'client',
        route,
        method: 'GET',
        host: publicAddress(request).host,
        url: redaction.inPlace(path),
        requestId: redactedRequestId(request, redaction),
        release,
        build,
        statusSent: undefined,
        status: null,
        isRecovered,
        pending: null,
        trace: null,
        components,
      },
      request,
    )
  }
}
