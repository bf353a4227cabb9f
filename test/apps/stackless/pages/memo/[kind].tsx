import type { PageProps } from 'hydrant/react'
import { Memo } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/memo/[kind]'>) {
  return (
    <main>
      <Memo kind={params.kind} />
    </main>
  )
}
