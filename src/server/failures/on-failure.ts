import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import { describeThrown } from './describe-thrown.ts'

const WARN_MS = 60_000
/** How long a server that stops waits for what listens. */
const SETTLE_MS = 2_000

/** Hands failures to a function of the site's own, beside the requests that they happen in. */
export interface FailureListener {
  /** Never throws and never waits. */
  tell(failure: FailureRecord): void
  /** Resolves when all that was told has been dealt with, or has taken too long. */
  settle(): Promise<void>
}

/** What the function throws changes nothing; one warning a minute says so. */
export function createFailureListener(
  onFailure: (failure: FailureRecord) => unknown,
  log: Pick<FastifyBaseLogger, 'warn'>,
): FailureListener {
  const running = new Set<Promise<void>>()
  let warnedAt = Number.NEGATIVE_INFINITY

  async function run(failure: FailureRecord) {
    // The visitor's answer comes first.
    await new Promise(setImmediate)
    try {
      // Its own copy: what is kept is nobody else's to change.
      await onFailure(structuredClone(failure))
    } catch (error) {
      warn(error, failure)
    }
  }

  function warn(error: unknown, { digest }: FailureRecord) {
    if (performance.now() - warnedAt < WARN_MS) return
    warnedAt = performance.now()
    const { type, message, stack: frames } = describeThrown(error)
    const stack = [`${type}: ${message}`, frames].filter(Boolean).join('\n')
    log.warn({ err: { type, message, stack }, digest }, `onFailure threw: ${type}: ${message}`)
  }

  async function settleAll() {
    while (running.size > 0) await Promise.all(running)
  }

  return {
    tell(failure) {
      const told = run(failure).finally(() => running.delete(told))
      running.add(told)
    },
    async settle() {
      const isOver = new AbortController()
      await Promise.race([settleAll(), wait(SETTLE_MS, undefined, { signal: isOver.signal })])
      isOver.abort()
    },
  }
}
