import { href } from 'hydrant/react'

/** Says that the ledger has no failure for the typed digest, and lists similar ones. */
export function FailureNotFound({ typed, nearest }: { typed: string; nearest: readonly string[] }) {
  return (
    <>
      <title>No such failure · Hydrant console</title>
      <h1>No such failure</h1>
      <p className="lead">
        The ledger has no failure <code>{typed}</code>, and no times of a request with this id.
      </p>
      {nearest.length > 0 ? (
        <>
          <h2>Similar digests</h2>
          <ul>
            {nearest.map((fingerprint) => (
              <li key={fingerprint}>
                <a href={href('/failures/[digest]', { digest: fingerprint })}>
                  <code>{fingerprint}</code>
                </a>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>
          A digest looks like <code>7K2M9QX4-3F8ZC1</code>. Its first half is enough. Old failures are removed when the
          ledger is full; the log still has them.
        </p>
      )}
      <p>
        <a href={href('/')}>All failures</a>
      </p>
    </>
  )
}
