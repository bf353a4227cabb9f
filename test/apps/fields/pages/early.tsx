import type { PageProps } from 'hydrant/react'
import { useEffect, useState } from 'react'
import { EarlyFields } from '../components/early-fields.tsx'

export default function Early({ url }: PageProps<'/early'>) {
  useEffect(() => void Object.assign(globalThis, { isReady: true }), [])
  const [count, setCount] = useState(0)
  return (
    <>
      <h1>Early</h1>
      <EarlyFields />
      <button id="more" type="button" onClick={() => setCount(count + 1)}>
        More
      </button>
      <p key={count} id="keyed">
        <input id="own" name="own" />
      </p>
      {url.search === '?slow' && Array.from({ length: 100 }, (_, index) => <SlowPart key={index} />)}
    </>
  )
}

/** React hydrates the page in pieces, and the visitor can act in between. */
function SlowPart() {
  const end = performance.now() + 10
  while (typeof document !== 'undefined' && !('isReady' in globalThis) && performance.now() < end);
  return <i>slow</i>
}
