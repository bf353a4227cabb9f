import { useState } from 'react'
import { build } from './build.ts'

export default function Lazy() {
  const [count, setCount] = useState(0)
  return (
    <button id="lazy" type="button" onClick={() => setCount(count + 1)}>
      {build} lazy {count}
    </button>
  )
}
