import { type ErrorPageProps, href } from 'hydrant/react'
import type { FormEvent } from 'react'

/** Shows failures of the console itself. They are not in the ledger, so there is no link to them. */
export default function ErrorPage({ status, message, digest, retry }: ErrorPageProps) {
  // Without JavaScript, submitting the form loads the page again too.
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
            The log of the site contains the reason
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
