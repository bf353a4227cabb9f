import type { PageProps } from 'hydrant/react'
import { Classy } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/class/[kind]'>) {
  return (
    <main>
      <Classy kind={params.kind} />
    </main>
  )
}
