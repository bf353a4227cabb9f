import type { ErrorPageProps } from 'hydrant/react'

export default function Failed({ status, message }: ErrorPageProps) {
  return (
    <p id="failed">
      {status}: {message}
    </p>
  )
}
