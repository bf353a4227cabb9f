import type { PageProps } from 'hydrant/react'
import { FailureNotFound } from '../components/failure-not-found.tsx'
import { LedgerUnavailable } from '../components/ledger-unavailable.tsx'

export default function Find({ data, url }: PageProps<'/find'>) {
  if (data.kind === 'unavailable') return <LedgerUnavailable problem={data.problem} url={url} />
  return <FailureNotFound typed={data.typed} nearest={data.nearest} />
}
