import { useState } from 'react'

export default () => {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>arrow</h1>
      <button id="count" type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <input id="typed" />
      <p style={{ height: 3000 }} />
    </main>
  )
}
