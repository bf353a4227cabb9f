import type { PageProps } from 'hydrant/react'
import { shared } from '../../parts/shared.ts'
import { State } from '../../parts/state.tsx'

export default function Page({ data }: PageProps<'/server'>) {
  return (
    <main>
      <h1>{data.title}</h1>
      <p id="row">{data.row}</p>
      <p id="started">{data.started}</p>
      <p id="greeting">{data.greeting}</p>
      <p id="shared">{`${data.shared} ${shared()}`}</p>
      <State />
    </main>
  )
}
