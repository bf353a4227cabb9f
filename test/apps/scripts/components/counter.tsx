import { useState } from 'react'

export function Counter({ name }: { name: string }) {
  const [count, setCount] = useState(0)
  return (
    <button id={name} type="button" onClick={() => setCount(count + 1)}>
      {name} {count}
    </button>
  )
}
