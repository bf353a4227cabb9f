import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/deferred/[kind]'>) {
  return (
    <Suspense fallback="waits">
      <Late late={data.late} />
    </Suspense>
  )
}

function Late({ late }: { late: Promise<never> }) {
  return use(late)
}
