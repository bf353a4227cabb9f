import { useState } from 'react'

export function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button
      type="button"
      className="rounded-lg bg-accent px-4 py-2 text-white hover:brightness-90"
      onClick={() => setCount(count + 1)}
    >
      {`Count: ${count}`}
    </button>
  )
}
