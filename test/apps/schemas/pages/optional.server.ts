import type { ActionContext, LoadContext } from 'hydrant'
import { z } from 'zod'

const toDate = z
  .string()
  .transform((text) => new Date(text))
  .pipe(z.date('No date'))
const trimmed = z.string().transform((text) => text.trim())
const fields = z.object({
  name: z.string().min(2, 'Too short'),
  born: z.coerce.date().optional(),
  news: z.stringbool().optional(),
  nickname: z.string().optional(),
  note: trimmed.optional(),
  trip: z.object({ from: toDate.optional(), to: toDate.optional() }).optional(),
})

export const search = fields.omit({ name: true })

export const form = fields
  .refine(({ name, trip }) => name !== 'traveler' || trip?.from, { path: ['trip', 'from'], error: 'Choose a day' })
  .refine(({ name, nickname }) => name !== 'nameless' || nickname !== '', { path: ['nickname'], error: 'Missing' })

export function load({ search }: LoadContext<'/optional'>) {
  return search
}

export function action({ input }: ActionContext<'/optional'>) {
  return input
}
