/** In the place of a page while the ledger cannot be asked. */
export function Away({ problem, url }: { problem: string; url: URL }) {
  return (
    <>
      <title>Ledger not available · Hydrant console</title>
      <div role="alert">
        <h1>The ledger is not available</h1>
        <p className="lead">{problem}</p>
      </div>
      <p>
        The site goes on. What fails in it meanwhile waits in memory, and is written when the ledger is back. The log
        has each failure in any case.
      </p>
      <p>
        <a className="button" href={url.pathname + url.search}>
          Try again
        </a>
      </p>
    </>
  )
}
