import type { FastifyInstance } from 'fastify'
import { sendRefusal } from '../http/refusal.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'
import type { RequestContext } from './request-context.ts'

const BUSY = 503
const RETRY_AFTER_S = 1

/** How many pages are being made, from the first load to the last byte of the render; not those that wait to be read. */
export class RenderSlots {
  #max: number
  #taken = 0
  #countRefused: () => void

  constructor(max: number, app: FastifyInstance) {
    this.#max = max
    this.#countRefused = addThrottledLine(app, (count) =>
      app.log.warn(
        { statusCode: BUSY, refused: count },
        `refused with ${BUSY}: ${countOf(count, 'page request')}, because ${max} renders are running (find what they wait for, or raise limits.maxRenders)`,
      ),
    )
  }

  /** Takes a slot for a visit. False when there is none, and the visit has been refused. */
  admit(visit: RequestContext): boolean {
    if (!this.hasRoom(visit)) return false
    this.take(visit)
    return true
  }

  /** Is there one? If not, the visit has been refused. */
  hasRoom(visit: RequestContext): boolean {
    if (this.#taken < this.#max) return true
    this.#refuse(visit)
    return false
  }

  /** For a visit that there was room for. */
  take(visit: RequestContext) {
    visit.hasSlot = true
    this.#taken++
  }

  free(visit: RequestContext) {
    if (visit.hasSlot) this.#taken--
    visit.hasSlot = false
  }

  // Nothing is rendered for it, and no load is run.
  #refuse({ request, reply }: RequestContext) {
    this.#countRefused()
    reply.header('retry-after', RETRY_AFTER_S)
    sendRefusal(BUSY, 'The server is busy. Try again in a moment.', request, reply)
  }
}
