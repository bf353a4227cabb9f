import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import { lastResort } from './errors.ts'
import { send, sendRaw } from './send.ts'

/** Makes the response of a request; null if there is none to send. */
export type MakeResponse = () => Promise<PageResponse | null>

/**
 * Makes and sends the response of a request that holds a render slot, and frees the slot. If neither the response nor an
 * error page can be sent, for example because a load has set an invalid header, the error is sent without hooks. Never
 * rejects.
 *
 * The stages await what they return. When the watchdog interrupts code of the site, V8 drops the microtasks that wait: a
 * promise that an async function returns without `await` would never be followed, and the request would get no response.
 */
export async function serve(ctx: RequestContext, make: MakeResponse): Promise<void> {
  try {
    await deliver(await make(), ctx)
  } catch (thrown) {
    sendRawError(thrown, ctx)
  } finally {
    ctx.site.slots.free(ctx)
  }
}

/** Sends a response, and makes the rest of its body. */
export async function deliver(response: PageResponse | null, ctx: RequestContext): Promise<void> {
  if (response === null || ctx.isGone) return
  const sending = send(response, ctx)
  if (sending) await sending
  if (response.rest) await response.rest()
}

/** Sends an error with Node's own response: see `sendRaw`. */
export function sendRawError(thrown: unknown, ctx: RequestContext) {
  sendRaw(lastResort(thrown, ctx), ctx)
}
