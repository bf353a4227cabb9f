import { useState } from 'react'

export default function Page() {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) throw new Error('broken by a click')
  return (
    <main>
      <h1>Breaking</h1>
      <button id="break" type="button" onClick={() => setBroken(true)}>
        break
      </button>
    </main>
  )
}
