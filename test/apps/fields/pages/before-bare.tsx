import { lazy, Suspense, useState } from 'react'

const LateCounter = lazy(() => import('../components/late-counter.tsx'))

/** A page without forms and links, which loads the navigator only if there are early events. */
export default function Bare() {
  return (
    <>
      <Counter />
      <Text />
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

/** A field outside of forms, whose handler sees each text. */
function Text() {
  const [seen, setSeen] = useState('')
  return (
    <>
      <input id="text" aria-label="Text" onInput={({ currentTarget }) => setSeen(currentTarget.value)} />
      <output id="seen">{seen}</output>
    </>
  )
}
