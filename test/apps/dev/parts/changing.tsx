import { useState } from 'react'

export function Changing() {
  const [clicks, setClicks] = useState(0)
  return (
    <button id="changing" type="button" onClick={() => setClicks(clicks + 1)}>
      {clicks} clicks
    </button>
  )
}
