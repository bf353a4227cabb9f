import { lazy, Suspense } from 'react'
import { Counter } from '../../components/counter.tsx'
import './inside.css'

const Lazy = lazy(() => import('../../components/lazy.tsx'))

export default function Inside() {
  return (
    <main>
      <h1>Inside</h1>
      <Counter name="count" />
      <Suspense fallback="wait">
        <Lazy />
      </Suspense>
      <a href="/frame/other">other</a>
    </main>
  )
}
