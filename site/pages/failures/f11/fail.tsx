import { lazy, Suspense } from 'react'
import { Counter } from '../../../components/counter.tsx'
import type LaterPart from '../../../components/later-part.tsx'

// In the browser, the name of a file that no build has made, as in a page that an older build has rendered.
const Part = lazy<typeof LaterPart>(() =>
  typeof document === 'undefined'
    ? import('../../../components/later-part.tsx')
    : import(new URL(/* not replaced */ 'later-part-OLDBUILD.js', import.meta.url).href),
)

export default function Fail() {
  return (
    <>
      <title>F11 · Hydrant</title>
      <h1>A script is missing</h1>
      <p className="lead">The server has rendered the whole page. A part of it needs a script that is missing.</p>
      <p>
        <Counter />
      </p>
      <Suspense fallback={<p>Loading the part…</p>}>
        <Part />
      </Suspense>
    </>
  )
}
