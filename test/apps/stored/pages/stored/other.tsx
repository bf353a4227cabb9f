import type { PageProps } from 'hydrant/react'
import { Suspense } from 'react'
import { Late } from '../../late.tsx'

export default function Other({ data }: PageProps<'/stored/other'>) {
  return (
    <main>
      <h1>Other {data.run}</h1>
      <Suspense fallback="…">
        <Late late={data.late} />
      </Suspense>
      <a href="/stored">back</a>
    </main>
  )
}
