import { Counter } from '../../components/counter.tsx'

export default function Other() {
  return (
    <main>
      <h1>Other</h1>
      <Counter name="count" />
    </main>
  )
}
