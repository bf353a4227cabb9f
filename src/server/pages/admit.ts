import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import { makeGuardError } from './error-handler.ts'
import { runGuards } from './guards.ts'
import type { PreparedRoute } from './prepared-route.ts'

/**
 * Runs the guards of a page and the check of its address. Returns `passed`, the response to what they have thrown, or null
 * when there is none to send: the client has left, or a guard has sent a response itself. An error is shown inside the
 * layouts whose guards have let the request pass.
 */
export async function admit(route: PreparedRoute, ctx: RequestContext): Promise<'passed' | PageResponse | null> {
  if (route.guards.length === 0) return 'passed'
  const outcome = await runGuards(route.guards, ctx)
  ctx.hasPassedGuards = outcome.kind === 'passed'
  if (outcome.kind === 'thrown') return await makeGuardError(route, outcome.caught, outcome.level, ctx)
  return outcome.kind === 'passed' ? 'passed' : null
}
