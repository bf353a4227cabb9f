import type { RequestContext } from '../context/request-context.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { serveGuardError } from './serve-error.ts'
import { runGuards } from './site-guards.ts'

/**
 * Runs the guards of a page. Returns false when the request must not go on: the client has left, or the response has
 * been sent. An error is shown inside the layouts whose guards have let the request pass.
 */
export async function admitToPage(route: PreparedRoute, ctx: RequestContext): Promise<boolean> {
  if (route.guards.length === 0) return true
  const outcome = await runGuards(route.guards, ctx)
  ctx.hasPassedGuards = outcome.kind === 'passed'
  if (outcome.kind === 'thrown') await serveGuardError(route, outcome.caught, outcome.level, ctx)
  return ctx.hasPassedGuards
}
