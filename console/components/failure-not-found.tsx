import { href } from 'hydrant/react'

/** Nothing is kept under what was typed. */
export function Unknown({ typed, nearest }: { typed: string; nearest: readonly string[] }) {
  return (
    <>
      <title>No such failure · Hydrant console</title>
      <h1>No such failure</h1>
      <p className="lead">
        The ledger has nothing under <code>{typed}</code>.
      </p>
      {nearest.length > 0 ? (
        <>
          <h2>Near to it</h2>
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
          A digest looks like <code>7K2M9QX4-3F8ZC1</code>. Its first half is enough. Old failures leave the ledger when
          it is full; the log still has them.
        </p>
      )}
      <p>
        <a href={href('/')}>All failures</a>
      </p>
    </>
  )
}
