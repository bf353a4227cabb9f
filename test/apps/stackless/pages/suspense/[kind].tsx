import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { values } from '../../parts/values.ts'

export default function Page({ params }: PageProps<'/suspense/[kind]'>) {
  const late = new Promise((resolve) => setTimeout(resolve, 5))
  return (
    <Suspense fallback="waits">
      <Slow kind={params.kind} late={late} />
    </Suspense>
  )
}

function Slow({ kind, late }: { kind: string; late: Promise<unknown> }): never {
  // place: /suspense
  use(late)
  throw values[kind]?.()
}
