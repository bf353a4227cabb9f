import { State } from '../../parts/state.tsx'

export default function Page() {
  return (
    <main>
      <h1>other</h1>
      <State />
    </main>
  )
}
