import { type ActionContext, redirect } from 'hydrant'
import { z } from 'zod'
import { suggestions } from '../lib/library.server.ts'

export const form = z.object({
  title: z.string().trim().min(2, 'Enter the title.'),
  email: z.email('Enter an e-mail address.'),
})

export function action({ input }: ActionContext<'/suggest'>) {
  suggestions.push(input.title)
  redirect('/')
}
