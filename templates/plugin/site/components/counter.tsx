import { useEffect, useState } from 'react'

export function Counter() {
  const [count, setCount] = useState(0)
  const [isReady, setIsReady] = useState(false)
  // Effects run only in the browser. So the button is disabled until React has hydrated the page.
  useEffect(() => setIsReady(true), [])
  return (
    <button type="button" disabled={!isReady} onClick={() => setCount(count + 1)}>
      {`Count: ${count}`}
    </button>
  )
}
