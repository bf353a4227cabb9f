import type { ErrorPageProps } from 'hydrant/react'
import type { FormEvent } from 'react'
import classes from './error.module.css'

export default function ErrorPage({ status, message, digest, retry }: ErrorPageProps) {
  // Without JavaScript, the browser sends the form, which also loads the page again.
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    retry()
  }

  return (
    <div id="own-error" className={classes.error} role="alert">
      <title>{`${status} · Hydrant`}</title>
      <h1>
        <span className={classes.status}>{status}</span> {digest ? 'This page has failed' : 'This page is not for you'}
      </h1>
      <p>{message}</p>
      {digest && (
        <p>
          <code>Digest: {digest}</code>
        </p>
      )}
      <form onSubmit={handleSubmit}>
        <button type="submit" className="button">
          Try again
        </button>
      </form>
    </div>
  )
}
