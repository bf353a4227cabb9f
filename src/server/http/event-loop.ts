// What blocks the event loop, and the step that does.

import type { RequestTimes, TimedStep } from './request-times.ts'

/** A step that runs for less than this without a pause does not block the event loop. */
const BLOCK_MS = 50
/** How often the event loop is seen if no step begins or ends. */
const TICK_MS = 20

/** Called with the time for which code has blocked the event loop that is not known to belong to a step. */
export type OnBlocked = (durationMs: number) => void

/** A step whose code runs. It leads to nothing but numbers and texts, because open connections keep it for some time. */
export interface RunningStep {
  step: TimedStep
  times: RequestTimes
  /** The step whose code began it; null if there is none, or if it is not known. */
  outer: RunningStep | null
}

/**
 * The event loop of this process. It is seen to run when a step begins or ends, and by a timer. If it was not seen for long
 * before a step ends, this step has blocked it: otherwise other code would have run. Code after an `await` is known to belong
 * to a step only if no other step was open.
 */
export const loop = createLoopClock()

function createLoopClock() {
  const listeners = new Set<OnBlocked>()
  let timer: NodeJS.Timeout | undefined
  const clock = {
    /** When the event loop was last seen, as `performance.now()`. */
    seenAt: 0,
    /** The step whose code runs up to its first pause; null if none does. */
    running: null as RunningStep | null,
    /** The steps that have not ended, in no order. */
    open: [] as TimedStep[],
    add(step: TimedStep) {
      if (listeners.size > 0) clock.open.push(step)
    },
    remove(step: TimedStep) {
      const index = clock.open.lastIndexOf(step)
      if (index === -1) return
      const last = clock.open.pop()
      if (last !== undefined && last !== step) clock.open[index] = last
    },
    /** Returns the time. */
    see(): number {
      const last = clock.seenAt
      clock.seenAt = performance.now()
      const blockedMs = clock.seenAt - last
      if (blockedMs < BLOCK_MS + TICK_MS || listeners.size === 0) return clock.seenAt
      const step = clock.running?.step ?? onlyOne(clock.open)
      if (step) step.blockedMs += blockedMs
      else for (const listener of listeners) listener(blockedMs)
      return clock.seenAt
    },
    /** Notes that the step has run up to now. */
    charge(step: TimedStep) {
      const last = Math.max(clock.seenAt, step.startMs)
      clock.seenAt = performance.now()
      const blockedMs = clock.seenAt - last
      if (blockedMs >= BLOCK_MS && listeners.size > 0) step.blockedMs += blockedMs
    },
    /** Calls the listener, until the returned function is called. */
    watch(listener: OnBlocked): () => void {
      listeners.add(listener)
      clock.seenAt = performance.now()
      timer ??= setInterval(clock.see, TICK_MS).unref()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
  return clock
}

/** Returns the step if only one is open, also if it waits for a single function of `perRequest`: then this one. */
function onlyOne(open: readonly TimedStep[]): TimedStep | undefined {
  if (open.length === 1) return open[0]
  const inner = open.filter(({ kind }) => kind === 'perRequest')
  return open.length === 2 && inner.length === 1 ? inner[0] : undefined
}
