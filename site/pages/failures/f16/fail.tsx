import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function SlowPage({ data }: PageProps<'/failures/f16/fail'>) {
  return (
    <>
      <title>F16 · Hydrant</title>
      <h1>A slow page</h1>
      <p className="lead">Twenty parts, one every half second. Leave before the last one.</p>
      <ol id="parts">
        {data.parts.map((part, index) => (
          <li key={index}>
            <Suspense fallback="…">
              <Part part={part} />
            </Suspense>
          </li>
        ))}
      </ol>
    </>
  )
}

function Part({ part }: { part: Promise<string> }) {
  return use(part)
}
