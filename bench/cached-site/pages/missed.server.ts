import type { CacheOptions } from 'hydrant'
import { listProducts } from '../products.ts'

/** A response is stored for each count. */
export const cache: CacheOptions<'/missed'> = { maxAgeS: 3600, search: ['count'] }

export const load = () => ({ products: listProducts() })
