import type { PageProps } from 'hydrant/react'
import { Shell } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/shell/[kind]'>) {
  return (
    <main>
      <Shell kind={params.kind} />
    </main>
  )
}
