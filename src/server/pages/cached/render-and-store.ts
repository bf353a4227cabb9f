import { pathTag, queryOf } from '../../cache/cache-key.ts'
import { type TaggedPage, tagsOf } from '../../cache/cache-rule.ts'
import { runOutsideRequests } from '../../cache/outside-requests.ts'
import type { Rendering } from '../../cache/page-cache.ts'
import type { GroupTurn } from '../../cache/render-group.ts'
import type { StoredResponse } from '../../cache/shared/shared-store.ts'
import type { StoredPage } from '../../cache/stored-page.ts'
import type { RequestContext } from '../../context/request-context.ts'
import { catchError } from '../../failures/failure-context.ts'
import { admitToPage } from '../admit-to-page.ts'
import { serveErrorInLayouts } from '../serve-error.ts'
import type { CachedRoute } from './cached-route.ts'
import { createCapture } from './create-capture.ts'

interface RenderAndStoreInput {
  /** Called with the stored page, and whether this process has rendered it. */
  onStored(page: StoredPage, isOwn: boolean): void
  /** The time of the stale response that is replaced, in milliseconds since 1970 (0: there is none). */
  after?: number
}

/**
 * Renders a page, and stores the response if it may be served to other visitors. Otherwise the response is sent to
 * this visitor only.
 */
export async function renderAndStore(
  cached: CachedRoute,
  key: string,
  ctx: RequestContext,
  { onStored, after = 0 }: RenderAndStoreInput,
): Promise<void> {
  const { cache } = cached
  const { loadMs, renderMs } = ctx.site.options.timeouts
  // The rendering begins before anything is awaited, so that the next request finds it and waits.
  const rendering = cache.begin(key, ctx.route)
  let turn: GroupTurn | null = null
  try {
    const taken = await cache.takeTurn(key, loadMs + renderMs, after)
    if (taken === null) return
    turn = taken
    if (taken.response) return onStored(rendering.store(taken.response), false)
    const store = (response: StoredResponse) => {
      taken.share(response)
      onStored(rendering.store(response), true)
    }
    await capturePage(cached, key, ctx, { rendering, store, isRefresh: after > 0 })
  } finally {
    rendering.giveUp()
    turn?.end()
  }
}

interface Capturing {
  rendering: Rendering
  store(response: StoredResponse): void
  isRefresh: boolean
}

async function capturePage(cached: CachedRoute, key: string, ctx: RequestContext, capturing: Capturing) {
  const { rendering, store, isRefresh } = capturing
  const { route, rule, cache } = cached
  const capture = createCapture(route, { rule, store, onRefused: () => cache.pass(key) }, ctx)
  // Before the checks, because other requests wait for this one: it goes on if its client leaves.
  ctx.capture = capture
  if (!(await passesChecks(cached, ctx))) return
  const respond = () => cached.respond(ctx, isRefresh)
  await respondTagged({ route, rule, respond }, ctx, (tags) => {
    capture.setTags(tags)
    rendering.setTags(tags)
  })
}

/** A page whose response gets tags. */
export interface TaggedRoute extends Pick<CachedRoute, 'route' | 'rule'> {
  /** Runs the loads and responds. */
  respond(ctx: RequestContext): Promise<void>
}

/**
 * Makes a response that may be stored, outside of the async context of the request: whatever the site runs meanwhile,
 * for example a thenable in the data, finds no store of this visitor.
 *
 * @param onTags Called with the tags of the response, before the loads run.
 */
export async function respondTagged(
  { route, rule, respond }: TaggedRoute,
  ctx: RequestContext,
  onTags: (tags: readonly string[]) => void,
): Promise<void> {
  await runOutsideRequests(async () => {
    const { serverFile } = route.page
    try {
      const tags = [...tagsOf(rule, taggedPage(ctx), serverFile), pathTag(ctx.path)]
      onTags(tags)
    } catch (thrown) {
      const caught = catchError(thrown, 'load', { file: serverFile, function: 'cache' })
      return serveErrorInLayouts(route, caught, ctx)
    }
    await respond(ctx)
  })
}

/** Returns the parameters and the query of the page: the output of the schemas, or the values that were sent. */
function taggedPage({ addressExtras, params, search }: RequestContext): TaggedPage {
  return { params: addressExtras?.params ?? params, search: addressExtras?.search ?? queryOf(search) }
}

/**
 * Checks the address of a page without guards. The address of any other page has been checked together with its
 * guards.
 */
export async function passesChecks({ route }: CachedRoute, ctx: RequestContext): Promise<boolean> {
  return ctx.hasPassedGuards || admitToPage(route, ctx)
}
