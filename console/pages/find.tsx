import type { PageProps } from 'hydrant/react'
import { Unknown } from '../components/failure-not-found.tsx'
import { Away } from '../components/ledger-unavailable.tsx'
import type { load } from './find.server.ts'

export default function Find({ data, url }: PageProps<typeof load>) {
  if (data.kind === 'away') return <Away problem={data.problem} url={url} />
  return <Unknown typed={data.typed} nearest={data.nearest} />
}
