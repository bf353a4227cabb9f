/** Replaces a page while the ledger is unavailable. */
export function LedgerUnavailable({ problem, url }: { problem: string; url: URL }) {
  return (
    <>
      <title>Ledger not available · Hydrant console</title>
      <div role="alert">
        <h1>The ledger is not available</h1>
        <p className="lead">{problem}</p>
      </div>
      <p>
        The site continues to serve. New failures wait in memory and are written when the ledger is available again. The
        log has each failure in any case.
      </p>
      <p>
        <a className="button" href={url.pathname + url.search}>
          Try again
        </a>
      </p>
    </>
  )
}
