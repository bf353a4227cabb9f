import { State } from '../parts/state.tsx'
import { useWord } from '../parts/use-hook.ts'

export default function () {
  return (
    <main>
      <h1>{useWord()}</h1>
      <State />
    </main>
  )
}
