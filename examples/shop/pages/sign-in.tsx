import type { PageProps } from 'hydrant/react'

export default function SignIn({ actionData }: PageProps<'/sign-in'>) {
  const problem = actionData?.problem
  return (
    <form method="post" className="grid max-w-md gap-4">
      <title>{`${problem ? 'Error: ' : ''}Sign in · Paper & Ink`}</title>
      <h1 className="text-3xl">Sign in</h1>
      <label className="grid gap-1">
        Password
        <input
          type="password"
          name="password"
          autoComplete="current-password"
          required
          aria-invalid={problem ? true : undefined}
          aria-describedby="problem"
          className="input"
        />
      </label>
      <p id="problem" role="alert" className="text-problem">
        {problem}
      </p>
      <button type="submit" className="button">
        Sign in
      </button>
    </form>
  )
}
