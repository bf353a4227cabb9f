import { setTimeout as wait } from 'node:timers/promises'
import type { CacheOptions } from 'hydrant'
import { listProducts } from '../products.ts'

/** Each stored response is stale at once. */
export const cache: CacheOptions<'/stale'> = { maxAgeS: 0, staleS: 3600 }

const RENDER_MS = 100

/** Waits, so that one render is running most of the time, and many requests get the stale page meanwhile. */
export async function load() {
  await wait(RENDER_MS)
  return { products: listProducts() }
}
