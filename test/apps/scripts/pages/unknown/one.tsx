import { lazy } from 'react'
import { Others } from '../../components/others.tsx'
import { useCounter } from '../../components/use-counter.tsx'

const Ad = lazy(() => import('../../components/plain-ad.tsx'))

export default function Page() {
  const counter = useCounter()
  return (
    <main>
      {counter}
      <Ad />
      <Others />
      <p>end</p>
    </main>
  )
}
