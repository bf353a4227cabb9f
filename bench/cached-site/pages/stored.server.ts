import type { CacheOptions } from 'hydrant'
import { listProducts } from '../products.ts'

export const cache: CacheOptions<'/stored'> = { maxAgeS: 3600 }

export const load = () => ({ products: listProducts() })
