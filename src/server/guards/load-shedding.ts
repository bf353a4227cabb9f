import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { sendRefusal } from '../http/refusal.ts'
import { addThrottledLine, countOf } from '../log/throttled-line.ts'

const BUSY = 503
const RETRY_AFTER_S = 1
/** Node.js measures by a timer of that interval, and counts it. */
const RESOLUTION_MS = 10
/** What is decided holds that long: a server that refuses is soon well again. */
const SAMPLE_MS = 250

export interface SheddingInput {
  /** 0 for never. */
  maxDelayMs: number
  /** The path of files that pages which are on their way have asked for: they are cheap, and the page is lost without. */
  assets: string
  onShed(): void
}

/** Refuses requests while the event loop is too late: those that are taken are answered in time. */
export function addLoadShedding(app: FastifyInstance, { maxDelayMs, assets, onShed }: SheddingInput) {
  if (maxDelayMs === 0) return
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    // Nothing has been measured in a process that was stopped meanwhile.
    delayMs = Number.isNaN(histogram.mean) ? 0 : histogram.mean / 1e6 - RESOLUTION_MS
    histogram.reset()
  }, SAMPLE_MS).unref()
  const countRefused = addThrottledLine(app, (count) =>
    app.log.warn(
      { statusCode: BUSY, refused: count, delayMs: Math.round(delayMs) },
      `refused with ${BUSY}: ${countOf(count, 'request')}, because the event loop is more than ${maxDelayMs} ms late (limits.maxEventLoopDelayMs)`,
    ),
  )
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    histogram.disable()
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (delayMs <= maxDelayMs || request.url.startsWith(assets)) return done()
    countRefused()
    onShed()
    reply.header('retry-after', RETRY_AFTER_S)
    sendRefusal(BUSY, 'The server is busy. Try again in a moment.', request, reply)
  })
}
