import type { PageProps } from 'hydrant/react'
import { Forward } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/forward/[kind]'>) {
  return (
    <main>
      <Forward kind={params.kind} />
    </main>
  )
}
