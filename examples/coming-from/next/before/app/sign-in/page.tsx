'use client'

import { useActionState } from 'react'
import { signIn } from './actions'

export default function SignIn() {
  const [state, action] = useActionState(signIn, { name: '', problem: '' })
  return (
    <form action={action}>
      <h1>Sign in</h1>
      <label>
        Name <input name="name" autoComplete="username" defaultValue={state.name} />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" />
      </label>
      {state.problem && <p role="alert">{state.problem}</p>}
      <button type="submit">Sign in</button>
    </form>
  )
}
