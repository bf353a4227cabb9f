import type { PageProps } from 'hydrant/react'
import { lazy, Suspense } from 'react'
import { Late } from '../../components/late.tsx'
import { useCounter } from '../../components/use-counter.tsx'

const Ad = lazy(() => import('../../components/plain-ad.tsx'))

export default function Page({ data }: PageProps<'/unknown/late'>) {
  const counter = useCounter()
  return (
    <main>
      {counter}
      <Ad />
      <Suspense fallback="wait">
        <Late later={data.later} />
      </Suspense>
      <p>end</p>
    </main>
  )
}
