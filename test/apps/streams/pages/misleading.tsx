import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/misleading'>) {
  return (
    <Suspense fallback="…">
      <Late of={data.late} />
    </Suspense>
  )
}

function Late({ of }: { of: Promise<string> }) {
  return <p>{use(of)}</p>
}
