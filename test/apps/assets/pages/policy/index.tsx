import { lazy, Suspense, useState } from 'react'
import './index.css'

const Part = lazy(() => import('../../parts/lazy.tsx'))

export default function Page() {
  const [isOpen, setOpen] = useState(false)
  const [isBroken, setBroken] = useState(false)
  if (isBroken) throw new Error('in the browser')
  return (
    <>
      <h1>Home</h1>
      <button id="open" type="button" onClick={() => setOpen(true)}>
        open
      </button>
      {isOpen && (
        <Suspense>
          <Part />
        </Suspense>
      )}
      <button id="break" type="button" onClick={() => setBroken(true)}>
        break
      </button>
      <a id="to-other" href="/policy/other">
        other
      </a>
      <a id="to-fails" href="/policy/fails">
        fails
      </a>
      <form method="post" action="/policy/fails" target="_self">
        <button type="submit" id="send">
          send
        </button>
      </form>
    </>
  )
}
