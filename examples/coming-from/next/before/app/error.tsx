'use client'

export default function ErrorPage({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <div role="alert">
      <h1>This page cannot be shown</h1>
      {error.digest && <p>Digest: {error.digest}</p>}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}
