import { FailureBoundary } from 'hydrant/react'
import { lazy, Suspense } from 'react'

const Ad = lazy(() => import('../../components/ad-banner.tsx'))

export default function Page() {
  return (
    <main>
      <h1>Opens</h1>
      <FailureBoundary>
        <Suspense fallback="wait">
          <Ad name="opened" />
        </Suspense>
      </FailureBoundary>
    </main>
  )
}
