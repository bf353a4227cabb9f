import { Suspense } from 'react'

/** Fails behind the shell, on the server only. */
export default function Page() {
  return (
    <main>
      <h1>page</h1>
      <Suspense fallback="waiting">
        <Part />
      </Suspense>
    </main>
  )
}

function Part() {
  if (typeof document === 'undefined') throw new Error('fails on the server')
  return <p id="part">the part</p>
}
