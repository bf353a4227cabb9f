import { type ErrorPageProps, href } from 'hydrant/react'
import type { FormEvent } from 'react'

/** Of the console itself, which cannot look up its own failures. */
export default function ErrorPage({ status, message, digest, retry }: ErrorPageProps) {
  // Without JavaScript the form is sent, which loads the page again as well.
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    retry()
  }

  return (
    <>
      <title>Failed · Hydrant console</title>
      <div role="alert">
        <h1>{digest === undefined ? message : 'The console failed'}</h1>
        {status >= 500 && (
          <p>
            The log of the site says why
            {digest !== undefined && (
              <>
                , under <code>{digest}</code>
              </>
            )}
            . The site itself is not affected.
          </p>
        )}
      </div>
      <form onSubmit={handleSubmit}>
        <button type="submit" className="button">
          Try again
        </button>{' '}
        <a href={href('/')}>All failures</a>
      </form>
    </>
  )
}
