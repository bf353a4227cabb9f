import type { FastifyInstance, FastifyReply } from 'fastify'
import { BUSY, sendBusy } from '../http/refusal.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

/** A request that can hold a render slot. */
export interface SlotHolder {
  readonly reply: FastifyReply
  hasSlot: boolean
}

/**
 * Limits how many page requests run at the same time. A request holds its slot from the first load until the render is
 * complete, but not while the client reads the rest of the response.
 */
export interface RenderSlots {
  /** Takes a slot. Returns false when all are taken; the request has then been refused with 503. */
  admit(holder: SlotHolder): boolean
  /** Returns whether a slot is free. If not, the request has been refused with 503. */
  hasRoom(holder: SlotHolder): boolean
  /** Takes a slot without a check, for a request that `hasRoom` has let in. */
  take(holder: SlotHolder): void
  free(holder: SlotHolder): void
}

export function createRenderSlots(max: number, app: FastifyInstance): RenderSlots {
  let taken = 0
  const countRefused = addThrottledLine(app, (count) =>
    app.log.warn(
      { statusCode: BUSY, refused: count },
      `refused with ${BUSY}: ${countOf(count, 'page request')}, because ${max} renders are running (find what they wait for, or raise "limits.maxRenders")`,
    ),
  )

  function hasRoom({ reply }: SlotHolder): boolean {
    if (taken < max) return true
    countRefused()
    // A plain response: the 503 page of the site would need a render.
    sendBusy(reply)
    return false
  }

  function take(holder: SlotHolder) {
    holder.hasSlot = true
    taken++
  }

  return {
    hasRoom,
    take,
    admit(holder) {
      if (!hasRoom(holder)) return false
      take(holder)
      return true
    },
    free(holder) {
      if (holder.hasSlot) taken--
      holder.hasSlot = false
    },
  }
}
