import type { PageProps } from 'hydrant/react'
import { Suspense, use, useEffect } from 'react'
import { EarlyFields, SlowParts } from '../components/early-fields.tsx'

export default function EarlyStreamed({ data, url }: PageProps<'/early-streamed'>) {
  return (
    <>
      <form method="get">
        <input name="q" />
      </form>
      <Suspense fallback={<p>Wait</p>}>
        <Part later={data.later} isSlow={url.search === '?slow'} />
      </Suspense>
    </>
  )
}

function Part({ later, isSlow }: { later: Promise<string>; isSlow: boolean }) {
  useEffect(() => void Object.assign(globalThis, { isReady: true }), [])
  return (
    <section>
      <h1>{use(later)}</h1>
      <EarlyFields />
      {isSlow && <SlowParts />}
    </section>
  )
}
