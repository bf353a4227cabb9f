import { useCounter } from '../../../components/use-counter.tsx'

export default function Page() {
  const counter = useCounter()
  return (
    <main>
      {counter}
      <p>inner</p>
    </main>
  )
}
