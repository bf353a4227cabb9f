import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/late-link'>) {
  return (
    <Suspense fallback="wait">
      <Later promise={data.later} />
    </Suspense>
  )
}

function Later({ promise }: { promise: Promise<string> }) {
  use(promise)
  return (
    <a href="/n/0" data-hydrant-prefetch="visible">
      n0
    </a>
  )
}
