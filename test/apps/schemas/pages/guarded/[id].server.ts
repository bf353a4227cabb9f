import type { ActionContext, GuardContext, LoadContext } from 'hydrant'
import { z } from 'zod'

export const params = z.object({ id: z.coerce.number() })
export const search = z.object({ page: z.coerce.number() })

export function guard({ params, search }: GuardContext<'/guarded/[id]'>) {
  return { own: [params, search] }
}

export function load({ context }: LoadContext<'/guarded/[id]'>) {
  return context
}

export function action({ context, params, search }: ActionContext<'/guarded/[id]'>) {
  return { context, params, search }
}
