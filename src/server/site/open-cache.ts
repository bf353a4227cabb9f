import type { FastifyInstance } from 'fastify'
import type { Build } from '../build-output/load-build.ts'
import { PageCache } from '../cache/page-cache.ts'
import { openSharedStore } from '../cache/shared/open-shared-store.ts'
import type { SharedStore } from '../cache/shared/shared-store.ts'
import type { Options } from '../options/options.ts'

/** Opens the part of the cache that other processes share, in place of the one that the options name. */
export type OpenCacheStore = (log: FastifyInstance['log']) => SharedStore

/**
 * Opens the page cache of a site; null for a site without cached pages, and in development, where the code of a page may
 * change with each request. Rejects with HYD_CACHE_STORE_PACKAGE.
 */
export async function openCache(
  app: FastifyInstance,
  { manifest, routes }: Build,
  { pageCache }: Options,
  openOther?: OpenCacheStore,
): Promise<PageCache | null> {
  const isUsed = pageCache.maxBytes > 0 && routes.some(({ cache }) => cache !== null)
  if (!isUsed || manifest.mode !== 'production') return null
  const { log } = app
  // A store also connects the workers of several machines.
  const store = pageCache.store === null ? (openOther?.(log) ?? null) : await openSharedStore(pageCache, { log })
  if (store) app.addHook('onClose', () => store.close())
  return new PageCache(pageCache.maxBytes, store)
}
