import { useEffect, useState } from 'react'
import { EarlyFields } from '../components/early-fields.tsx'

export default function Early() {
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
    </>
  )
}
