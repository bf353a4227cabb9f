import type { ErrorPageProps } from 'hydrant/react'

export default function ErrorPage({ message, digest, retry }: ErrorPageProps) {
  return (
    <div role="alert">
      <h1>This page cannot be shown</h1>
      <p>{message}</p>
      {digest && <p>Digest: {digest}</p>}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}
