import { useState } from 'react'

export default function Page() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Hydrated</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        count: {count}
      </button>
      <a href="/plain">plain</a>
    </main>
  )
}
