import { createFileRoute } from '@tanstack/react-router'
import { useServerFn } from '@tanstack/react-start'
import { type FormEvent, useState } from 'react'
import { signIn } from '../lib/club.functions'

export const Route = createFileRoute('/sign-in')({
  head: () => ({ meta: [{ title: 'Sign in' }] }),
  component: SignIn,
})

function SignIn() {
  const send = useServerFn(signIn)
  const [problem, setProblem] = useState('')

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const result = await send({ data: { name: String(form.get('name')), password: String(form.get('password')) } })
    if (result) setProblem(result.problem)
  }

  return (
    <form onSubmit={submit}>
      <h1>Sign in</h1>
      <label>
        Name <input name="name" autoComplete="username" />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" />
      </label>
      {problem && <p role="alert">{problem}</p>}
      <button type="submit">Sign in</button>
    </form>
  )
}
