import type { CacheRule } from '../../cache/cache-rule.ts'
import type { PageCache } from '../../cache/page-cache.ts'
import type { StoredPage } from '../../cache/stored-page.ts'
import type { RequestContext } from '../../context/request-context.ts'
import type { PreparedRoute } from '../prepared-route.ts'

/** A page whose responses are stored. */
export interface CachedRoute {
  route: PreparedRoute
  rule: CacheRule
  cache: PageCache
  /**
   * Runs the loads and responds. Rejects if neither the response nor an error can be sent.
   *
   * @param isRefresh Whether the request got the stale response already.
   */
  respond(ctx: RequestContext, isRefresh: boolean): Promise<void>
  /** Sends a stored page. */
  send(page: StoredPage, ctx: RequestContext): void
}
