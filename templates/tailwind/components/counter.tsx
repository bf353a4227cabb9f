import { useState, useSyncExternalStore } from 'react'

const subscribe = () => () => {}

export function Counter() {
  const [count, setCount] = useState(0)
  // False on the server. So the button is disabled until React has hydrated the page.
  const isReady = useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
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
