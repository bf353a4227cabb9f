import type { PageProps } from 'hydrant/react'
import { Unknown } from '../components/unknown.tsx'
import type { load } from './find.server.ts'

export default function Find({ data }: PageProps<typeof load>) {
  return <Unknown typed={data.typed} nearest={data.nearest} />
}
