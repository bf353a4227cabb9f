import { createFileRoute } from '@tanstack/react-router'
import { useServerFn } from '@tanstack/react-start'
import { type FormEvent, useState } from 'react'
import { suggest } from '../lib/club.functions'

export const Route = createFileRoute('/suggest')({
  head: () => ({ meta: [{ title: 'Suggest a book' }] }),
  component: Suggest,
})

function Suggest() {
  const send = useServerFn(suggest)
  const [errors, setErrors] = useState<{ title?: string[]; email?: string[] }>({})

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const result = await send({ data: { title: String(form.get('title')), email: String(form.get('email')) } })
    if (result) setErrors(result.errors)
  }

  return (
    <form onSubmit={submit}>
      <h1>Suggest a book</h1>
      <label>
        Title <input name="title" aria-describedby="title-error" />
      </label>
      <p id="title-error">{errors.title}</p>
      <label>
        Your e-mail address <input name="email" aria-describedby="email-error" />
      </label>
      <p id="email-error">{errors.email}</p>
      <button type="submit">Suggest</button>
    </form>
  )
}
