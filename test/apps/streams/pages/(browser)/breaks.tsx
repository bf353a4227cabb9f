import { FailureBoundary } from 'hydrant/react'
import { Suspense, use } from 'react'
import { browser } from 'react-dom'

export default function Page() {
  return (
    <FailureBoundary>
      <Suspense fallback={<p id="wait">no width</p>}>
        <Breaks />
      </Suspense>
    </FailureBoundary>
  )
}

function Breaks(): never {
  use(browser())
  throw new Error('SECRET-MARKER')
}
