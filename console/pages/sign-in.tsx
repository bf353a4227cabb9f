import { href, type PageProps } from 'hydrant/react'
import classes from '../components/sign-in.module.css'

export default function SignIn({ actionData, url }: PageProps<'/sign-in'>) {
  const problem = actionData?.problem
  return (
    <>
      <title>Sign in · Hydrant console</title>
      <h1>Sign in</h1>
      <form method="post" action={href('/sign-in', {}, { search: url.searchParams })} className={classes.form}>
        <label htmlFor="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autoComplete="current-password"
          required
          // biome-ignore lint/a11y/noAutofocus: the field is the only purpose of the page
          autoFocus
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? 'problem hint' : 'hint'}
        />
        {problem && (
          <p id="problem" className={classes.problem} role="alert">
            {problem}
          </p>
        )}
        <p id="hint" className={classes.hint}>
          The value of <code>HYDRANT_ADMIN_TOKEN</code> in the environment of the site, or of{' '}
          <code>HYDRANT_ADMIN_READ_TOKEN</code> for reading only. You stay signed in for twelve hours.
        </p>
        <button type="submit" className="button">
          Sign in
        </button>
      </form>
    </>
  )
}
