import type { PageProps } from 'hydrant/react'
import { Suspense, use, useEffect } from 'react'
import { EarlyFields } from '../components/early-fields.tsx'

export default function EarlyStreamed({ data }: PageProps<'/early-streamed'>) {
  return (
    <>
      <form method="get">
        <input name="q" />
      </form>
      <Suspense fallback={<p>Wait</p>}>
        <Part later={data.later} />
      </Suspense>
    </>
  )
}

function Part({ later }: { later: Promise<string> }) {
  useEffect(() => void Object.assign(globalThis, { isReady: true }), [])
  return (
    <section>
      <h1>{use(later)}</h1>
      <EarlyFields />
    </section>
  )
}
