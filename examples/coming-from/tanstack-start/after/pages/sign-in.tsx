import type { PageProps } from 'hydrant/react'

export default function SignIn({ actionData }: PageProps<'/sign-in'>) {
  return (
    <form method="post">
      <title>Sign in</title>
      <h1>Sign in</h1>
      <label>
        Name <input name="name" autoComplete="username" defaultValue={actionData?.name} />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" />
      </label>
      {actionData && <p role="alert">{actionData.problem}</p>}
      <button type="submit">Sign in</button>
    </form>
  )
}
