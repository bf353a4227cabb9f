import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Spreads work over time, so that what it causes leaves the event loop free for other requests. */
export interface Pace {
  /** Calls `work` again and again until it returns false. Further calls while it runs change nothing. */
  run(work: () => boolean): void
  stop(): void
}

/** What is small is done at once. */
const BURST = 50
const TICK_MS = 20
/** Calls in a tick: the event loop decides how many. */
const FEWEST = 1
const MOST = 100
/** The share of its time that the event loop may be busy. */
const BUSY = 0.5
/** How the number of calls changes with each tick: slowly up, because what a call causes comes later, and fast down. */
const UP = 1.05
const DOWN = 0.7

/** @param utilization Returns how busy the event loop was since the last call, from 0 to 1. Replaced in tests. */
export function createPace(utilization: () => number = createMeter()): Pace {
  let work: (() => boolean) | null = null
  let timer: NodeJS.Timeout | undefined
  let perTick = FEWEST
  /** The calls that may be made now. */
  let credit = BURST
  let restedAt = 0

  function tick() {
    perTick = Math.min(MOST, Math.max(FEWEST, perTick * (utilization() > BUSY ? DOWN : UP)))
    credit += perTick
    spend()
  }

  function spend() {
    while (work !== null && credit >= 1) {
      credit--
      if (!work()) work = null
    }
    clearTimeout(timer)
    if (work !== null) timer = setTimeout(tick, TICK_MS)
    else restedAt = performance.now()
  }

  return {
    run(given) {
      if (work !== null) return
      work = given
      // Nothing was done in the meantime, which is a part of the next burst.
      const rested = ((performance.now() - restedAt) / TICK_MS) * perTick
      credit = Math.min(BURST, credit + rested)
      utilization()
      spend()
    },
    stop() {
      work = null
      clearTimeout(timer)
    },
  }
}

function createMeter(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
