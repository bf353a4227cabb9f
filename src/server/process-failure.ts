import { formatDigest } from '../shared/digest-format.ts'
import { createOccurrence } from './digest.ts'
import type { Examiner, Hidden } from './examiner.ts'
import type { FailureLine } from './failure-line.ts'
import type { FailureRecord } from './ledger/ledger.ts'
import { createRedactor } from './secrets.ts'

export interface ProcessFailure {
  line: FailureLine
  record: Omit<FailureRecord, 'release'>
}

/** What the log and the ledger are told of an exception outside of any request. Never throws. */
export function examineProcessFailure(thrown: unknown, { examineThrown }: Examiner): ProcessFailure {
  const { cause, logged, kept } = examineThrown(thrown, OF_NO_REQUEST, () => [])
  const named = { digest: formatDigest(cause, createOccurrence()), side: 'server', phase: 'process' } as const
  return {
    line: { ...named, err: logged },
    record: {
      ...named,
      cause,
      time: Date.now(),
      message: kept.message,
      error: kept,
      route: null,
      method: null,
      path: null,
      host: null,
      requestId: null,
      userAgent: null,
      statusSent: null,
      isRecovered: false,
    },
  }
}

const hide = createRedactor({})
const OF_NO_REQUEST: Hidden = { secrets: () => [], redact: { message: hide, frame: hide } }
