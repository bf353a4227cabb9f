import type { PageProps } from 'hydrant/react'
import { Named } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/named/[kind]'>) {
  return (
    <main>
      <Named kind={params.kind} />
    </main>
  )
}
