import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { BUSY, sendBusy } from '../http/refusal.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

/** The interval of the timer that Node.js measures with. Each measured delay includes it. */
const RESOLUTION_MS = 10
/** How long a decision holds. A server that refuses requests recovers quickly. */
const SAMPLE_MS = 250

export interface SheddingInput {
  /** 0 turns load shedding off. */
  maxDelayMs: number
  /**
   * The path of the site's assets. They are never refused: they are cheap, and a page that has been sent needs them.
   */
  assets: string
  /** Called for each refused request. */
  onShed(): void
}

/** Adds a hook that responds with 503 while the event loop is late, so that accepted requests are answered in time. */
export function addLoadShedding(app: FastifyInstance, { maxDelayMs, assets, onShed }: SheddingInput) {
  if (maxDelayMs === 0) return
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    // The mean is NaN if the process was suspended and has measured nothing.
    delayMs = Number.isNaN(histogram.mean) ? 0 : histogram.mean / 1e6 - RESOLUTION_MS
    histogram.reset()
  }, SAMPLE_MS).unref()
  const countRefused = addThrottledLine(app, (count) =>
    app.log.warn(
      { statusCode: BUSY, refused: count, delayMs: Math.round(delayMs) },
      `refused with ${BUSY}: ${countOf(count, 'request')}, because the event loop is more than ${maxDelayMs} ms late ("limits.maxEventLoopDelayMs")`,
    ),
  )
  app.addHook('onClose', async () => {
    clearInterval(timer)
    histogram.disable()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (delayMs <= maxDelayMs || request.url.startsWith(assets)) return done()
    countRefused()
    onShed()
    sendBusy(reply)
  })
}
