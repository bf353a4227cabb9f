import { Suspense } from 'react'

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

function Part(): never {
  throw new Error(typeof document === 'undefined' ? 'fails on the server' : 'fails in the browser')
}
