import type { FastifyInstance } from 'fastify'
import type { Build } from '../build-output/load-build.ts'
import type { PageCache } from '../cache/page-cache.ts'
import type { StoreInput } from '../cache/shared/create-shared-store.ts'
import type { SharedStore } from '../cache/shared/shared-store.ts'
import type { Options } from '../options/options.ts'

/** Opens the part of the cache that other processes share; resolves with null for none. */
export type OpenCacheStore = (
  pageCache: Options['pageCache'],
  input: Pick<StoreInput, 'log' | 'closeMs'>,
) => Promise<SharedStore | null>

/**
 * Opens the page cache of a site; null for a site without cached pages, and in development, where the code of a page may
 * change with each request. Rejects with HYD_CACHE_STORE_PACKAGE.
 */
export async function openCache(
  app: FastifyInstance,
  { manifest, routes }: Build,
  { pageCache, timeouts }: Options,
  openStore?: OpenCacheStore,
): Promise<PageCache | null> {
  const isUsed = pageCache.maxBytes > 0 && routes.some(({ cache }) => cache !== null)
  if (!isUsed || manifest.mode !== 'production') return null
  const { log } = app
  // Few sites need these modules.
  const [{ PageCache }, { openSharedStore }] = await Promise.all([
    import('../cache/page-cache.ts'),
    import('../cache/shared/open-shared-store.ts'),
  ])
  // The requests need the rest of the time.
  const store = await (openStore ?? openSharedStore)(pageCache, { log, closeMs: timeouts.drainMs / 2 })
  const cache = new PageCache(pageCache.maxBytes, store)
  app.addHook('onClose', () => cache.close())
  return cache
}
