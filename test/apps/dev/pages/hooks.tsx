import { Changing } from '../parts/changing.tsx'
import { State } from '../parts/state.tsx'

export default function Page() {
  return (
    <main>
      <h1>hooks</h1>
      <Changing />
      <State />
    </main>
  )
}
