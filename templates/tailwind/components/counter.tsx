import { useEffect, useState } from 'react'

export function Counter() {
  const [count, setCount] = useState(0)
  const [isReady, setIsReady] = useState(false)
  // Effects run only in the browser. So the button is disabled until React has hydrated the page.
  useEffect(() => setIsReady(true), [])
  return (
    <button
      type="button"
      className="rounded-lg bg-accent px-4 py-2 text-white hover:brightness-90 disabled:opacity-40"
      disabled={!isReady}
      onClick={() => setCount(count + 1)}
    >
      {`Count: ${count}`}
    </button>
  )
}
