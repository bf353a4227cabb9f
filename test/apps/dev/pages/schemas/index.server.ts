import type { ActionContext } from 'hydrant'
import { z } from 'zod'

export const form = z.object({ name: z.string().min(3, 'Too short') })
export const search = z.object({ page: z.coerce.number().default(1) })
export const action = ({ input }: ActionContext<'/schemas'>) => `Hello ${input.name}`
