import { createHydrantError } from '../../errors/hydrant-error.ts'
import type { Options } from '../../options/options.ts'
import { isPostgresUrl, placeOf } from '../../util/postgres.ts'
import { firstLineOf } from '../../util/unknown-values.ts'
import type { StoreBackend } from './backend.ts'
import { createSharedStore, type StoreInput } from './create-shared-store.ts'
import type { SharedStore } from './shared-store.ts'

/** Opens the part of the cache that other processes share; resolves with null for none. */
export type OpenCacheStore = (
  pageCache: Options['pageCache'],
  input: Pick<StoreInput, 'log' | 'closeMs'>,
) => Promise<SharedStore | null>

/** Opens the store of `pageCache.store`, in the background; null without one. Rejects with HYD_CACHE_STORE_PACKAGE. */
export async function openSharedStore(
  { maxBytes, store }: Pick<Options['pageCache'], 'maxBytes' | 'store'>,
  input: Omit<StoreInput, 'backend' | 'place'>,
): Promise<SharedStore | null> {
  if (store === null) return null
  const place = placeOf(store)
  const backend = await createBackend(store, place, maxBytes)
  return createSharedStore({ ...input, backend, place })
}

async function createBackend(url: string, place: string, maxBytes: number): Promise<StoreBackend> {
  if (isPostgresUrl(url)) {
    const { default: pg } = await load('pg', place, () => import('pg'))
    const { createPostgresBackend } = await import('./postgres-backend.ts')
    return createPostgresBackend({ pg, url, place, maxBytes })
  }
  const iovalkey = await load('iovalkey', place, () => import('iovalkey'))
  const { createValkeyBackend } = await import('./valkey-backend.ts')
  return createValkeyBackend({ iovalkey, url, maxBytes })
}

async function load<Module>(name: string, place: string, importPackage: () => Promise<Module>): Promise<Module> {
  try {
    return await importPackage()
  } catch (error) {
    throw createHydrantError('HYD_CACHE_STORE_PACKAGE', [place, name, firstLineOf(error)], error)
  }
}
