import type { RequestContext } from '../../context/request-context.ts'
import type { CollectedRequest, ResponseCollector } from '../../context/response-collector.ts'
import { admitToPage } from '../admit-to-page.ts'
import { respondInSlot } from '../raw-response.ts'
import { reasonOf } from './cache-warnings.ts'
import { type CaptureInput, createCapture } from './create-capture.ts'
import { findReadPlace } from './read-place.ts'
import { respondTagged, type TaggedRoute } from './render-and-store.ts'

/**
 * Responds in development, where nothing is stored. The loads get the same recorders as in production, with warnings.
 */
export function checkCachedPage(page: TaggedRoute, ctx: RequestContext) {
  respondCaptured(page, ctx, { store: null, onRefused() {} })
}

/** Gives the response of a prerendered page to the build. */
export function collectPage(page: TaggedRoute, collector: ResponseCollector, ctx: RequestContext) {
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
  page: TaggedRoute,
  ctx: RequestContext,
  outcome: Pick<CaptureInput, 'store' | 'storeRedirect' | 'onRefused'>,
) {
  const { route, rule } = page
  if (!ctx.site.slots.admit(ctx)) return
  void respondInSlot(ctx, async () => {
    if (!(await admitToPage(route, ctx))) return
    const capture = createCapture(route, { rule, ...outcome }, ctx)
    ctx.capture = capture
    await respondTagged(page, ctx, capture.setTags)
  })
}
