import type { Route } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import {
  finishNavigation,
  loadNavigation,
  NavigationStream,
  refuseOtherBuild,
  startNavigation,
} from './navigation-stream.ts'
import { answerLoads } from './page-loads.ts'
import type { PageRoute } from './page-route.ts'
import type { ActionResult } from './render-page.ts'
import { type CaughtError, type ErrorTarget, respondWithError } from './respond-with-error.ts'

/** What has happened before any load. */
export type NavigationStart =
  | { kind: 'nothing' }
  /** What a hook or the action has thrown stands in the page's place, inside of these layouts. */
  | { kind: 'thrown'; own: CaughtError; layouts: Route['layouts'] }
  | { kind: 'acted'; action: ActionResult | null }

/** Answers a page of this build that goes to this one, or sends a form to it. */
export async function answerNavigation(
  route: PageRoute,
  before: NavigationStart,
  params: Record<string, string>,
  site: Site,
  visit: RequestContext,
): Promise<void> {
  const stream = new NavigationStream(site, visit)
  visit.navigation = stream
  const { plan, canStream } = route
  const isPage = before.kind !== 'thrown'
  const steps = isPage ? route.steps : before.layouts
  const destination = { plan, steps, params }
  const place = (level: number): ErrorTarget => ({ frame: route, params, layoutData: new Array(level).fill(undefined) })
  if (!isPage && classifyThrown(before.own.thrown).kind === 'redirect') {
    return respondWithError(before.own, place(0), 'navigation', site, visit)
  }
  if (refuseOtherBuild(stream, site, visit)) return
  const kept = startNavigation(destination, before.kind === 'nothing', stream, visit)
  if (before.kind === 'acted' && before.action) stream.sendActionData(route.layouts.length, before.action.serialised)
  // Behind an action nothing goes out before all loads are done: it must never be too late for what they say.
  if (before.kind === 'nothing' && canStream && steps.slice(kept).some(({ load }) => load)) stream.open()
  const { loads, deferred } = await loadNavigation(destination, kept, stream, site, visit)
  if (visit.isGone || (stream.endIfLate() && loads.kind === 'loaded')) return
  const around = place(Math.min(kept + loads.values.length, route.layouts.length))
  if (loads.kind === 'thrown') return answerLoads(loads, around, 'navigation', site, visit)
  if (!isPage) return respondWithError(before.own, around, 'navigation', site, visit)
  await finishNavigation(deferred, stream, site, visit)
}
