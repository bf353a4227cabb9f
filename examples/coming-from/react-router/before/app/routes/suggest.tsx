import { data, Form, redirect } from 'react-router'
import { z } from 'zod'
import { suggestions } from '../lib/library.server'
import type { Route } from './+types/suggest'

const schema = z.object({
  title: z.string().trim().min(2, 'Enter the title.'),
  email: z.email('Enter an e-mail address.'),
})

export async function action({ request }: Route.ActionArgs) {
  const values = Object.fromEntries(await request.formData())
  const result = schema.safeParse(values)
  if (!result.success) {
    const { fieldErrors } = z.flattenError(result.error)
    return data({ errors: fieldErrors, title: String(values.title), email: String(values.email) }, { status: 422 })
  }
  suggestions.push(result.data.title)
  return redirect('/')
}

export default function Suggest({ actionData }: Route.ComponentProps) {
  return (
    <Form method="post">
      <title>Suggest a book</title>
      <h1>Suggest a book</h1>
      <label>
        Title <input name="title" defaultValue={actionData?.title} aria-describedby="title-error" />
      </label>
      <p id="title-error">{actionData?.errors.title}</p>
      <label>
        Your e-mail address <input name="email" defaultValue={actionData?.email} aria-describedby="email-error" />
      </label>
      <p id="email-error">{actionData?.errors.email}</p>
      <button type="submit">Suggest</button>
    </Form>
  )
}
