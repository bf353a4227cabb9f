import type { InFlight } from '../lifecycle/in-flight.ts'
import { countOf } from '../log/throttled-line.ts'

const MAX_NAMED = 10

/** The last report of a worker about its requests in flight. */
export interface LastReport {
  take(inFlight: InFlight): void
  /** Says which requests were in flight, for the log. */
  describe(): string
}

export function createLastReport(): LastReport {
  let last: InFlight = new Map()
  let takenAt = 0
  return {
    take(inFlight) {
      last = inFlight
      takenAt = performance.now()
    },
    describe() {
      if (last.size === 0) return 'no request was in flight a second before'
      const total = [...last.values()].reduce((sum, count) => sum + count, 0)
      const named = [...last].slice(0, MAX_NAMED).map(([route, count]) => `${count} of ${route}`)
      const more = last.size > MAX_NAMED ? ` and ${countOf(last.size - MAX_NAMED, 'other route')}` : ''
      const ageMs = Math.round(performance.now() - takenAt)
      return `${countOf(total, 'request')} in flight ${ageMs} ms before: ${named.join(', ')}${more}`
    },
  }
}
