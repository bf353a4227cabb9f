import type { PageProps } from 'hydrant/react'
import { Lazy } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/lazy/[kind]'>) {
  return (
    <main>
      <Lazy kind={params.kind} />
    </main>
  )
}
