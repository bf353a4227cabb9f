import { type ActionContext, invalidForm } from 'hydrant'
import { z } from 'zod'

export const form = z.object({
  name: z.string().min(2, 'Too short'),
  email: z.email('Not an address'),
  password: z.string().min(8, 'Too short'),
  age: z.coerce.number('Not a number').int().min(18, 'Too young'),
  size: z.enum(['S', 'L']),
  topics: z.array(z.string()),
  items: z.array(z.object({ name: z.string().min(1, 'Needs a name') })).optional(),
  photo: z.file().optional(),
})

let runs = 0

export function load() {
  return { runs }
}

export function action({ input, form: sent }: ActionContext<'/signup'>) {
  runs++
  if (input.name === 'taken') invalidForm({ name: 'Is taken', '': ['Try', 'again'] })
  if (input.name === 'fails') throw new Error('SECRET-MARKER')
  return { input: { ...input, photo: input.photo?.name }, isForm: sent instanceof FormData, runs }
}
