import type { PageProps } from 'hydrant/react'
import { Imported } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/imported/[kind]'>) {
  return (
    <main>
      <Imported kind={params.kind} />
    </main>
  )
}
