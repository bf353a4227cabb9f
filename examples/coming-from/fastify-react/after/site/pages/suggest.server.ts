import { type ActionContext, redirect } from 'hydrant'
import { z } from 'zod'

export const form = z.object({
  title: z.string().trim().min(2, 'Enter the title.'),
  email: z.email('Enter an e-mail address.'),
})

export function action({ app, input }: ActionContext<'/suggest'>) {
  app.library.suggestions.push(input.title)
  redirect('/')
}
