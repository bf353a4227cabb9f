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
    <button type="button" disabled={!isReady} onClick={() => setCount(count + 1)}>
      {`Count: ${count}`}
    </button>
  )
}
