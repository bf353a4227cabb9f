import type { PageProps } from 'hydrant/react'
import { Away } from '../components/away.tsx'
import { Unknown } from '../components/unknown.tsx'
import type { load } from './find.server.ts'

export default function Find({ data, url }: PageProps<typeof load>) {
  if (data.kind === 'away') return <Away problem={data.problem} url={url} />
  return <Unknown typed={data.typed} nearest={data.nearest} />
}
