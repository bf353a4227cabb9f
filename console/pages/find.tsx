import type { PageProps } from 'hydrant/react'
import { Unknown } from '../components/failure-not-found.tsx'
import { LedgerUnavailable } from '../components/ledger-unavailable.tsx'
import type { load } from './find.server.ts'

export default function Find({ data, url }: PageProps<typeof load>) {
  if (data.kind === 'unavailable') return <LedgerUnavailable problem={data.problem} url={url} />
  return <Unknown typed={data.typed} nearest={data.nearest} />
}
