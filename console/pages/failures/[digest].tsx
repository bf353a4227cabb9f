import type { PageProps } from 'hydrant/react'
import { ConnectionLost } from '../../components/connection-lost.tsx'
import { FailureNotFound } from '../../components/failure-not-found.tsx'
import { FailureView } from '../../components/failure-view.tsx'
import { LedgerUnavailable } from '../../components/ledger-unavailable.tsx'
import { Problem } from '../../components/problem.tsx'
import { Now } from '../../components/relative-time.tsx'

export default function FailurePage({ data, actionData, url }: PageProps<'/failures/[digest]'>) {
  if (data.kind === 'unavailable') return <LedgerUnavailable problem={data.problem} url={url} />
  if (data.kind === 'unknown') return <FailureNotFound typed={data.typed} nearest={data.nearest} />
  const { now, failure, digest, isKept, note, hours, mayChange } = data
  return (
    <Now now={now}>
      <ConnectionLost />
      <Problem text={actionData?.problem} />
      <FailureView failure={failure} digest={digest} isKept={isKept} note={note} hours={hours} mayChange={mayChange} />
    </Now>
  )
}
