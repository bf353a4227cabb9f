import { invalidForm } from 'hydrant'
import { z } from 'zod'

export const form = z.object({
  name: z.string().optional(),
  items: z.array(z.object({ title: z.string() })).optional(),
})

export function action() {
  return invalidForm({ nmae: 'Taken', name: 'Taken', 'items[0].titel': 'Taken', '': 'Not sent' })
}
