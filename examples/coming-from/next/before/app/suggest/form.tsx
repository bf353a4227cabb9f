'use client'

import { useActionState } from 'react'
import { suggest } from './actions'

export function SuggestForm() {
  const [state, action, isPending] = useActionState(suggest, { errors: {}, title: '', email: '' })
  return (
    <form action={action}>
      <label>
        Title <input name="title" defaultValue={state.title} aria-describedby="title-error" />
      </label>
      <p id="title-error">{state.errors.title}</p>
      <label>
        Your e-mail address <input name="email" defaultValue={state.email} aria-describedby="email-error" />
      </label>
      <p id="email-error">{state.errors.email}</p>
      <button type="submit" disabled={isPending}>
        Suggest
      </button>
    </form>
  )
}
