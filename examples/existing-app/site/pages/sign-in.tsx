import type { PageProps } from 'hydrant/react'

export default function SignIn({ actionData }: PageProps<'/sign-in'>) {
  const problem = actionData?.problem
  return (
    <main>
      <title>{problem ? 'Error: Sign in' : 'Sign in'}</title>
      <h1>Sign in</h1>
      <form method="post" className="fields">
        <p role="alert" className="problem">
          {problem}
        </p>
        <label htmlFor="name">Name</label>
        <input id="name" name="name" autoComplete="username" defaultValue={actionData?.name} required />
        <label htmlFor="password">Password</label>
        <input id="password" name="password" type="password" autoComplete="current-password" required />
        <button type="submit">Sign in</button>
      </form>
    </main>
  )
}
