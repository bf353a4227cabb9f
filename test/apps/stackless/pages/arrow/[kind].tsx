import type { PageProps } from 'hydrant/react'
import { Arrow } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/arrow/[kind]'>) {
  return (
    <main>
      <Arrow kind={params.kind} />
    </main>
  )
}
