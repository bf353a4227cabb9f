import type { PageProps } from 'hydrant/react'
import { Nameless } from '../../parts/cells.tsx'

export default function Page({ params }: PageProps<'/nameless/[kind]'>) {
  return (
    <main>
      <Nameless kind={params.kind} />
    </main>
  )
}
