import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Spreads work over time, so that what it causes leaves the event loop free for other requests. */
export interface Pace {
  /** Calls `work` again and again until it returns false. Further calls while it runs change nothing. */
  run(work: () => boolean): void
  stop(): void
}

/** What is small is done at once. */
const BURST = 20
/** Short, so that what the calls of one tick cause is short. */
const TICK_MS = 5
/** Calls in a tick: how busy the event loop is decides how many. */
const FEWEST = 0.25
const FIRST = 1
const MOST = 25
/** Ticks between two looks at the event loop: what a call causes comes later. */
const TICKS_OF_LOOK = 20
/** The share of its time that the event loop may be busy. */
const BUSY = 0.3
const FASTER = 1.25
const SLOWER = 0.7

/** @param utilization Returns how busy the event loop was since the last call, from 0 to 1. Replaced in tests. */
export function createPace(utilization: () => number = createMeter()): Pace {
  let work: (() => boolean) | null = null
  let timer: NodeJS.Timeout | undefined
  let perTick = FIRST
  let ticks = 0
  /** The calls that may be made now. */
  let credit = BURST
  let restedAt = 0

  function tick() {
    if (++ticks % TICKS_OF_LOOK === 0)
      perTick = Math.min(MOST, Math.max(FEWEST, perTick * (utilization() > BUSY ? SLOWER : FASTER)))
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
      // The rest since the last call is a part of the next burst.
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
