import { FailureBoundary } from 'hydrant/react'
import { type ReactNode, Suspense, use } from 'react'
import { Counter } from '../../../components/counter.tsx'
import { waitForever } from '../../../content/later.ts'

export default function Fail() {
  return (
    <>
      <title>F15 after the shell · Hydrant</title>
      <h1>One part of this page never arrives</h1>
      <p>The rest works meanwhile:</p>
      <p>
        <Counter />
      </p>
      <h2>The part that never comes</h2>
      <FailureBoundary>
        <Suspense fallback={<p>Waiting for the part…</p>}>
          <Endless />
        </Suspense>
      </FailureBoundary>
    </>
  )
}

function Endless(): ReactNode {
  return use(waitForever())
}
