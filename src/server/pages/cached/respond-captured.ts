import type { CacheRule } from '../../cache/cache-rule.ts'
import type { RequestContext } from '../../context/request-context.ts'
import type { CollectedRequest, ResponseCollector } from '../../context/response-collector.ts'
import { admitToPage } from '../admit-to-page.ts'
import type { PreparedRoute } from '../prepared-route.ts'
import { respondInSlot } from '../raw-response.ts'
import { respondWithError, targetOf } from '../respond-with-error.ts'
import { reasonOf } from './cache-warnings.ts'
import { type CaptureInput, createCapture } from './create-capture.ts'
import { findReadPlace } from './read-place.ts'
import { readTags } from './render-and-store.ts'

export interface CheckedPage {
  route: PreparedRoute
  rule: CacheRule
  respond(ctx: RequestContext): Promise<void>
}

/**
 * Responds in development, where nothing is stored. The loads get the same recorders as in production, with warnings.
 */
export function checkCachedPage(page: CheckedPage, ctx: RequestContext) {
  respondCaptured(page, ctx, { store: null, onRefused() {} })
}

/** Gives the response of a prerendered page to the build. */
export function collectPage(page: CheckedPage, collector: ResponseCollector, ctx: RequestContext) {
  respondCaptured(page, ctx, {
    store(response) {
      collector.store(collected(ctx), response)
      ctx.reply.code(204).send()
    },
    storeRedirect(redirect) {
      collector.storeRedirect(collected(ctx), redirect)
      ctx.reply.code(204).send()
    },
    onRefused(refusal) {
      const place = refusal.kind === 'read' ? findReadPlace(refusal.read, page.route.steps, ctx.site.mapper) : null
      collector.refuse(collected(ctx), reasonOf(refusal) + (place?.calledFrom ?? ''), place?.frame ?? null)
    },
  })
}

const collected = ({ request, route, path, params }: RequestContext): CollectedRequest => ({
  id: request.id,
  route,
  path,
  params,
})

function respondCaptured(
  { route, rule, respond }: CheckedPage,
  ctx: RequestContext,
  outcome: Pick<CaptureInput, 'store' | 'storeRedirect' | 'onRefused'>,
) {
  if (!ctx.site.slots.admit(ctx)) return
  void respondInSlot(ctx, async () => {
    if (!(await admitToPage(route, ctx))) return
    const tags = readTags({ route, rule }, ctx)
    if ('caught' in tags) return respondWithError(tags.caught, targetOf(route, []), ctx)
    ctx.capture = createCapture(route, { rule, tags, ...outcome }, ctx)
    await respond(ctx)
  })
}
