import type { VisitorRead } from '../../cache/visitor-reads.ts'
import type { RequestContext } from '../../context/request-context.ts'
import { createHydrantError } from '../../errors/hydrant-error.ts'
import { warnOf } from '../../errors/warn-of.ts'
import { showFrame } from '../../failures/stacks/site-frame.ts'
import type { PreparedRoute } from '../prepared-route.ts'
import { findReadPlace } from './read-place.ts'

/** Why the response of a page with a `cache` is not stored. */
export type CacheRefusal =
  /** A load has read a value of the visitor. */
  | { kind: 'read'; read: VisitorRead }
  /** The response has a header that forbids it. */
  | { kind: 'header'; header: string }
  /** The document cannot do without its nonce. */
  | { kind: 'document'; reason: string }

/** The most reasons of one site that are reported. */
const MAX_WARNED = 1_000
/** The advice if a layout has read the value: only a page can have `loadVisitor`. */
const LAYOUT_FIX =
  'Load the part that differs for each visitor in the browser, because a layout cannot have "loadVisitor"; see "hydrant docs prerender". Or remove the export "cache".'
const warned = new WeakMap<object, Set<string>>()

/**
 * Counts a response that is not stored. Warns once for each page and reason (HYD_CACHE_PERSONAL,
 * HYD_PRERENDER_PERSONAL).
 */
export function noteRefusal(refusal: CacheRefusal, route: PreparedRoute, ctx: RequestContext) {
  const { site, request } = ctx
  const { id, page, prerender, steps } = route
  site.metrics.cacheRefused(id, refusal.kind)
  const keys = warned.get(site) ?? new Set<string>()
  warned.set(site, keys)
  const reason = reasonOf(refusal)
  const key = `${id} ${reason}`
  if (keys.has(key) || keys.size >= MAX_WARNED) return
  keys.add(key)
  const place = refusal.kind === 'read' ? findReadPlace(refusal.read, steps, site.mapper) : null
  const at = place?.frame ? ` at ${showFrame(place.frame)}${place.calledFrom}` : ''
  const error = prerender
    ? createHydrantError('HYD_PRERENDER_PERSONAL', [prerender.file, `${reason}${at}`])
    : createHydrantError('HYD_CACHE_PERSONAL', [page.serverFile, `${reason}${at}`])
  ctx.inRequest(() => warnOf(error, id, request.log, place?.isInLayout && !prerender ? LAYOUT_FIX : error.fix))
}

/** Returns the reason as the end of a sentence. */
export function reasonOf(refusal: CacheRefusal): string {
  switch (refusal.kind) {
    case 'read':
      return `it reads ${refusal.read.property}`
    case 'header':
      return `its response has the header ${refusal.header}`
    case 'document':
      return refusal.reason
  }
}
