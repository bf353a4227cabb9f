import { lazy, Suspense, useState } from 'react'

const LateCounter = lazy(() => import('../components/late-counter.tsx'))

/** A page without forms and links, which loads the navigator only if there are early events. */
export default function Bare() {
  return (
    <>
      <Counter />
      <Suspense>
        <LateCounter />
      </Suspense>
    </>
  )
}

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button id="count" type="button" onClick={() => setCount(count + 1)}>
      {count}
    </button>
  )
}
