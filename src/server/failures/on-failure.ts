import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import { createThrottledLine } from '../log/throttled-line.ts'
import { describeThrown } from './describe-thrown.ts'

/** Milliseconds that a server which stops waits for `onFailure`. */
const SETTLE_MS = 2_000

/** Passes failures to the site's `onFailure`, outside of the requests that they happen in. */
export interface FailureListener {
  /** Calls `onFailure` later. Never throws and never waits. */
  notify(failure: FailureRecord): void
  /** Resolves when all calls have ended, after two seconds at the latest. */
  settle(): Promise<void>
}

/** Creates a listener. What `onFailure` throws is logged, once a minute at most, and changes nothing else. */
export function createFailureListener(
  onFailure: (failure: FailureRecord) => unknown,
  log: Pick<FastifyBaseLogger, 'warn'>,
): FailureListener {
  const running = new Set<Promise<void>>()
  let last: { error: unknown; digest: string } | null = null
  const warning = createThrottledLine(() => {
    if (!last) return
    const { type, message, stack: frames } = describeThrown(last.error)
    const stack = [`${type}: ${message}`, frames].filter(Boolean).join('\n')
    const line = { err: { type, message, stack }, digest: last.digest }
    log.warn(line, `onFailure threw: ${type}: ${message}`)
  })

  async function run(failure: FailureRecord) {
    // The visitor's response comes first.
    await new Promise(setImmediate)
    try {
      // A copy: the ledger keeps the original.
      await onFailure(structuredClone(failure))
    } catch (error) {
      last = { error, digest: failure.digest }
      warning.count()
    }
  }

  async function settleAll() {
    while (running.size > 0) await Promise.all(running)
  }

  return {
    notify(failure) {
      const call = run(failure).finally(() => running.delete(call))
      running.add(call)
    },
    async settle() {
      const isOver = new AbortController()
      await Promise.race([settleAll(), wait(SETTLE_MS, undefined, { signal: isOver.signal })])
      isOver.abort()
      warning.stop()
    },
  }
}
