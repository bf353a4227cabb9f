import { useEffect, useState } from 'react'
import { Frame } from '../../parts/frame.tsx'
import './index.css'

export default () => {
  const [runs, setRuns] = useState(0)
  useEffect(() => setRuns((last) => last + 1), [])
  return (
    <main>
      <p id="runs">{runs}</p>
      <Frame word="box" />
    </main>
  )
}
