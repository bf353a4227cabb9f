import type { RequestContext } from '../../context/request-context.ts'
import { catchError } from '../../failures/failure-context.ts'
import { type Loads, runLoads } from '../loads.ts'
import type { PreparedRoute } from '../prepared-route.ts'
import { respondWithError, targetOf } from '../respond-with-error.ts'
import { renderShell } from './render-shell.ts'

/** Responds to a request for a page: runs its loads, and sends the result in the form that the request asks for. */
export type Respond = (route: PreparedRoute, ctx: RequestContext) => Promise<void>

/**
 * Renders the shell of a page for the cache. The capture stores and sends the shell. If the shell cannot be stored,
 * calls `respond` with the results of the loads.
 *
 * @param isRefresh Whether the request got the stale shell already.
 */
export async function respondWithShell(
  route: PreparedRoute,
  respond: Respond,
  ctx: RequestContext,
  isRefresh: boolean,
): Promise<void> {
  const { capture } = ctx
  if (!capture) return respond(route, ctx)
  const loads = route.noLoads ?? (await runLoads(route.steps, ctx))
  if (loads.kind === 'sent') return
  const { shells } = ctx.site
  if (loads.kind === 'thrown') {
    if (isRefresh) return respondWithError(loads.caught, targetOf(route, loads.values), ctx)
  } else if (shells === null) capture.check()
  else {
    const outcome = await renderShell(route, loads.values, shells, ctx)
    const { kind } = outcome
    if (kind === 'shell' && capture.inRequest(() => capture.sendShell(outcome.shell))) return
    if (kind === 'refused') capture.refuse(outcome.reason)
    if (isRefresh && kind === 'thrown')
      return respondWithError(catchError(outcome.thrown, 'render'), targetOf(route, loads.values), ctx)
  }
  if (isRefresh) return
  ctx.capture = null
  if (!ctx.reply.raw.destroyed) await capture.inRequest(() => respond(withLoads(route, loads), ctx))
}

/** Returns the route with loads that repeat these results: they return the same values, or throw the same value. */
export function withLoads(route: PreparedRoute, loads: Exclude<Loads, { kind: 'sent' }>): PreparedRoute {
  const { values } = loads
  const steps = route.steps.map((step, level) => {
    if (level < values.length) return { ...step, load: () => values[level] }
    if (loads.kind === 'loaded' || level > values.length) return { ...step, load: null }
    return {
      ...step,
      load: () => {
        throw loads.caught.thrown
      },
    }
  })
  return { ...route, steps, noLoads: loads.kind === 'loaded' ? loads : null }
}
