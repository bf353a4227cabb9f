import type { CacheOptions } from 'hydrant'
import { listProducts } from '../products.ts'

/** Its shell is stored. */
export const cache: CacheOptions<'/parts'> = { maxAgeS: 3600 }

export const load = () => ({ products: listProducts() })

export const loadVisitor = () => ({ count: 2 })
