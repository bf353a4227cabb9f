import { FailureBoundary } from 'hydrant/react'
import { lazy, Suspense, useState } from 'react'

const Part = lazy(() => import('../../components/part.tsx'))

export default function Page() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <main>
      <button type="button" onClick={() => setIsOpen(true)}>
        open
      </button>
      <Suspense fallback="wait above">
        <FailureBoundary>
          <i>beside</i>
          {isOpen && <Part />}
        </FailureBoundary>
      </Suspense>
    </main>
  )
}
