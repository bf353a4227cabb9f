import { lazy } from 'react'
import { Others } from '../../components/others.tsx'
import { useCounter } from '../../components/use-counter.tsx'

const Pair = lazy(() => import('../../components/pair.tsx'))

export default function Page() {
  const counter = useCounter()
  return (
    <main>
      {counter}
      <Pair />
      <Others />
      <p>end</p>
    </main>
  )
}
