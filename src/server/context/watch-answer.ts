import { hasRunErrorHooks } from '../failures/on-error-hooks.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Watches whether code of the site sends a response. `reply.sent` stays false while asynchronous `onSend` hooks run, or
 * while a stream is sent. Without the watch, a guard that calls `reply.redirect()` and forgets to return it would let
 * the request pass.
 */
export function watchAnswer(ctx: RequestContext) {
  const { request, reply } = ctx
  const { send } = reply
  let isSent = false
  reply.send = function watched(...payload) {
    // Hydrant itself sends an error to run the `onError` hooks.
    if (hasRunErrorHooks(payload[0], request)) return send.apply(reply, payload)
    isSent = true
    if (!ctx.navigation?.isOpen) return send.apply(reply, payload)
    // The headers have been sent, or are about to be.
    ctx.navigation.replace(payload[0])
    return reply
  }
  return {
    isSent: () => isSent || reply.sent,
    stop() {
      reply.send = send
    },
  }
}
