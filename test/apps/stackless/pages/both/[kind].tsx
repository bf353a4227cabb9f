import type { PageProps } from 'hydrant/react'
import { Both } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/both/[kind]'>) {
  return (
    <main>
      <Both kind={params.kind} />
    </main>
  )
}
