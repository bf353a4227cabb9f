'use server'

import { redirect } from 'next/navigation'
import { z } from 'zod'
import { suggestions } from '@/lib/library'

const schema = z.object({
  title: z.string().trim().min(2, 'Enter the title.'),
  email: z.email('Enter an e-mail address.'),
})

export interface State {
  errors: { title?: string[]; email?: string[] }
  title: string
  email: string
}

export async function suggest(_state: State, form: FormData): Promise<State> {
  const values = { title: String(form.get('title')), email: String(form.get('email')) }
  const result = schema.safeParse(values)
  if (!result.success) return { errors: z.flattenError(result.error).fieldErrors, ...values }
  suggestions.push(result.data.title)
  redirect('/')
}
