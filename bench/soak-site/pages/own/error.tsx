import type { ErrorPageProps } from 'hydrant/react'

export default function OwnError({ status, message, digest }: ErrorPageProps) {
  return (
    <p>
      {status}: {message} {digest}
    </p>
  )
}
