import { useState } from 'react'

/** The state that an update of the page keeps. */
export function State() {
  const [count, setCount] = useState(0)
  return (
    <div style={{ height: 3000 }}>
      <button id="count" type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <input id="typed" />
    </div>
  )
}
