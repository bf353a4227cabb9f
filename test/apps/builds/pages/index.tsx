import { lazy, Suspense, useEffect, useState } from 'react'
import { build } from '../parts/build.ts'

const Lazy = lazy(() => import('../parts/lazy.tsx'))

export default function Page() {
  const [count, setCount] = useState(0)
  const [work, setWork] = useState('')
  useEffect(() => {
    const worker = new Worker(new URL('../parts/work.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }) => setWork(data)
    worker.postMessage('')
    return () => worker.terminate()
  }, [])
  return (
    <main>
      <button id="count" type="button" onClick={() => setCount(count + 1)}>
        {build} {count}
      </button>
      <p id="work">{work}</p>
      <Suspense fallback="wait">
        <Lazy />
      </Suspense>
    </main>
  )
}
