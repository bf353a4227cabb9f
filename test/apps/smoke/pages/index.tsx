import { useState } from 'react'

export default function Page() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Home</h1>
      <button id="count" type="button" onClick={() => setCount(count + 1)}>
        {`count: ${count}`}
      </button>
    </main>
  )
}
