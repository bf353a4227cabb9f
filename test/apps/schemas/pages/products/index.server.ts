import type { ActionContext, LoadContext } from 'hydrant'
import { z } from 'zod'

export const search = z.object({
  page: z.coerce.number().int().min(1).default(1),
  tags: z.array(z.string()).default([]),
  price: z.object({ max: z.coerce.number().optional() }).optional(),
  since: z.coerce.date().optional(),
})

export function load({ search }: LoadContext<'/products'>) {
  return search.page
}

export function action({ search }: ActionContext<'/products'>) {
  return search.page
}
