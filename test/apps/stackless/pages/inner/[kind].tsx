import type { PageProps } from 'hydrant/react'
import { Outer } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/inner/[kind]'>) {
  return (
    <main>
      <Outer kind={params.kind} />
    </main>
  )
}
