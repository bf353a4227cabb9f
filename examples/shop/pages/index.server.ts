import type { LoadContext } from 'hydrant'
import { z } from 'zod'
import { KINDS, searchProducts } from '../shop/products.server.ts'

export const search = z.object({
  q: z.string().trim().default(''),
  kind: z.enum(KINDS).optional(),
  sort: z.enum(['name', 'price']).default('name'),
})

export function load({ search }: LoadContext<'/'>) {
  return { kinds: KINDS, products: searchProducts(search.q, search.kind, search.sort) }
}
