import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Page({ data }: PageProps<'/promised'>) {
  return (
    <main>
      <Suspense fallback="waiting">
        <Part late={data.late} />
      </Suspense>
    </main>
  )
}

function Part({ late }: { late: Promise<never> }) {
  return use(late)
}
