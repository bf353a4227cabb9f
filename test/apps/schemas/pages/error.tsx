import type { ErrorPageProps } from 'hydrant/react'

export default function Failed({ status, message, retry }: ErrorPageProps) {
  return (
    <>
      <p id="failed">{[status, message].join('|')}</p>
      <button id="retry" type="button" onClick={() => retry()}>
        Again
      </button>
    </>
  )
}
