import type { FastifyInstance, FastifyReply } from 'fastify'
import { BUSY, sendBusy } from '../http/problem.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import type { RefusedFor, RenderCounts } from '../metrics/metrics-recorder.ts'

/** A request that can hold a render slot. */
export interface SlotHolder {
  readonly reply: FastifyReply
  /** The site's route; `*` for a path without a page. */
  readonly route: string
  hasSlot: boolean
}

/**
 * A route may hold less than this times the free slots: one route alone gets three quarters of all, and another one
 * three quarters of the rest. It is the "dynamic threshold" by which switches share their memory between queues
 * (Choudhury and Hahne, https://doi.org/10.1109/90.664262).
 */
const SHARE_OF_FREE = 3

/**
 * Limits how many page requests run at the same time, and leaves some of them to other routes when one hangs. A request
 * holds its slot from the first load until the render is complete, but not while the client reads the rest of the
 * response.
 */
export interface RenderSlots {
  /** Takes a slot. Returns false when none is free for the route; the request has then been refused with 503. */
  admit(holder: SlotHolder): boolean
  /** Takes a slot if one is free for the route, for work that no request waits for. Returns whether it has one. */
  tryTake(holder: SlotHolder): boolean
  /** Returns whether a slot is free for the route. If not, the request has been refused with 503. */
  hasRoom(holder: SlotHolder): boolean
  /** Takes a slot without a check, for a request that `hasRoom` has let in. */
  take(holder: SlotHolder): void
  free(holder: SlotHolder): void
  counts(): RenderCounts
}

/** @param onRefused Called for each refused request. */
export function createRenderSlots(
  max: number,
  app: FastifyInstance,
  onRefused: (reason: RefusedFor) => void,
): RenderSlots {
  let taken = 0
  /** The slots that are taken, by route. */
  const takenBy = new Map<string, number>()
  let lastRefused = ''
  const addLine = (describe: () => string) =>
    addThrottledLine(app, (count) =>
      app.log.warn(
        { statusCode: BUSY, refused: count },
        `refused with ${BUSY}: ${countOf(count, 'page request')}, because ${describe()} (find what they wait for, or raise "limits.maxRenders")`,
      ),
    )
  const countRefused = addLine(() => `${max} renders are running`)
  const countOverShare = addLine(
    () =>
      `${takenBy.get(lastRefused) ?? 0} of ${max} renders are running for ${lastRefused}, and the others are kept for other routes`,
  )

  const isFree = (route: string) => (takenBy.get(route) ?? 0) < SHARE_OF_FREE * (max - taken)

  function hasRoom({ reply, route }: SlotHolder): boolean {
    if (isFree(route)) return true
    const free = max - taken
    if (free > 0) {
      lastRefused = route
      countOverShare()
    } else countRefused()
    onRefused(free > 0 ? 'route' : 'renders')
    // A plain response: the 503 page of the site would need a render.
    sendBusy(reply)
    return false
  }

  function take(holder: SlotHolder) {
    holder.hasSlot = true
    taken++
    takenBy.set(holder.route, (takenBy.get(holder.route) ?? 0) + 1)
  }

  return {
    hasRoom,
    take,
    tryTake(holder) {
      if (isFree(holder.route)) take(holder)
      return holder.hasSlot
    },
    admit(holder) {
      const isAdmitted = hasRoom(holder)
      if (isAdmitted) take(holder)
      return isAdmitted
    },
    free(holder) {
      if (!holder.hasSlot) return
      holder.hasSlot = false
      taken--
      const left = (takenBy.get(holder.route) ?? 1) - 1
      if (left > 0) takenBy.set(holder.route, left)
      else takenBy.delete(holder.route)
    },
    counts: () => ({ taken, max }),
  }
}
