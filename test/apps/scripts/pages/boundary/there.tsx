import { FailureBoundary } from 'hydrant/react'
import { lazy, Suspense } from 'react'

const Part = lazy(() => import('../../components/part.tsx'))

export default function Page() {
  return (
    <main>
      <Suspense fallback="wait above">
        <FailureBoundary>
          <Part />
        </FailureBoundary>
      </Suspense>
    </main>
  )
}
