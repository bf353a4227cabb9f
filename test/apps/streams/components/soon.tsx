import { FailureBoundary } from 'hydrant/react'
import { Suspense, use } from 'react'

/** A part that arrives, one that never does, and one that only the browser can render. */
export function Soon({ soon }: { soon: Promise<string> }) {
  return (
    <main>
      <FailureBoundary>
        <Suspense fallback={<p>wait</p>}>
          <Text promise={soon} />
        </Suspense>
      </FailureBoundary>
      <section>
        <FailureBoundary>
          <Suspense fallback={<p>wait for ever</p>}>
            <Endless />
          </Suspense>
        </FailureBoundary>
      </section>
      <FailureBoundary>{null}</FailureBoundary>
      <FailureBoundary>
        <Suspense fallback={<p>wait</p>}>
          <Recovering promise={soon} />
        </Suspense>
      </FailureBoundary>
    </main>
  )
}

function Text({ promise }: { promise: Promise<string> }) {
  return <p id="text">{use(promise)}</p>
}

function Endless() {
  return use(new Promise<string>(() => {}))
}

function Recovering({ promise }: { promise: Promise<string> }) {
  use(promise)
  if (typeof window === 'undefined') throw new Error('on the server only')
  return <p id="recovered">recovered</p>
}
