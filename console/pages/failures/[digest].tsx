import type { PageProps } from 'hydrant/react'
import { FailureView } from '../../components/failure-view.tsx'
import { Lost } from '../../components/lost.tsx'
import { Now } from '../../components/now.tsx'
import { Unknown } from '../../components/unknown.tsx'
import { useLive } from '../../components/use-live.ts'
import type { load } from './[digest].server.ts'

export default function FailurePage({ data: loaded }: PageProps<typeof load>) {
  const { data, isLost } = useLive(loaded)
  if (data.kind === 'unknown') return <Unknown typed={data.typed} nearest={data.nearest} />
  const { now, failure, digest, isKept, hours } = data
  return (
    <Now now={now}>
      <Lost isLost={isLost} />
      <FailureView failure={failure} digest={digest} isKept={isKept} hours={hours} />
    </Now>
  )
}
