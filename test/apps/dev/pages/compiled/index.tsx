import { useState } from 'react'
import { Child } from '../../parts/child.tsx'
import { State } from '../../parts/state.tsx'

export default function Page() {
  const [clicks, setClicks] = useState(0)
  return (
    <main>
      <h1>Page</h1>
      <button id="click" type="button" onClick={() => setClicks(clicks + 1)}>
        {clicks}
      </button>
      <Child word="child" />
      <State />
    </main>
  )
}
