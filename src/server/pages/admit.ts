import type { LayoutChain } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import type { CaughtError } from '../failures/failure-context.ts'
import { isSafe } from '../guards/csrf.ts'
import { errorInLayouts } from './error-handler.ts'
import { type CheckStep, type GuardStep, runGuards } from './guards.ts'
import type { PreparedRoute } from './prepared-route.ts'

/** Runs the guards of a page and the check of its address. Returns as `admitBy`. */
export function admit(route: PreparedRoute, ctx: RequestContext): Promise<'passed' | PageResponse | null> {
  return admitBy(route.guards, route, ctx)
}

/**
 * Runs guards. Returns `passed`, the response to what they have thrown, or null when there is none to send: the client has
 * left, or a guard has sent a response itself. An error is shown inside the layouts of `chain` whose guards have let the
 * request pass.
 */
export async function admitBy(
  guards: readonly (GuardStep | CheckStep)[],
  chain: LayoutChain | PreparedRoute,
  ctx: RequestContext,
): Promise<'passed' | PageResponse | null> {
  if (guards.length === 0) return 'passed'
  const outcome = await runGuards(guards, ctx)
  ctx.hasPassedGuards = outcome.kind === 'passed'
  if (outcome.kind === 'thrown') return await makeGuardError(chain, outcome.caught, outcome.level, ctx)
  return outcome.kind === 'passed' ? 'passed' : null
}

/**
 * Makes the response to the error of a guard, inside the layouts above it. For GET and HEAD all hooks of `server.ts` have let the
 * request pass. For other methods they have not, so the layouts end at the first one that has a load and no guard.
 *
 * @param level Number of layouts whose guards have let the request pass.
 */
export function makeGuardError(
  chain: LayoutChain | PreparedRoute,
  caught: CaughtError,
  level: number,
  ctx: RequestContext,
): Promise<PageResponse | null> {
  const layouts = chain.layouts.slice(0, level)
  const first = isSafe(ctx.request.method)
    ? -1
    : layouts.findIndex(({ guard, load }) => load !== null && guard === null)
  return errorInLayouts(chain, caught, ctx, first === -1 ? layouts : layouts.slice(0, first))
}
