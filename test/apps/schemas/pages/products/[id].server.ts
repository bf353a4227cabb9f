import type { ActionContext, LoadContext } from 'hydrant'
import { z } from 'zod'

export const params = z.object({ id: z.coerce.number().int() })

export function load({ params }: LoadContext<'/products/[id]'>) {
  return params
}

export function action({ params }: ActionContext<'/products/[id]'>) {
  return params
}
