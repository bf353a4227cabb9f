import { type ReactElement, useState } from 'react'

/** Returns a button that renders its page again. */
export function useCounter(): ReactElement {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      count {count}
    </button>
  )
}
