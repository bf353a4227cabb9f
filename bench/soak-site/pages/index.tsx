import type { PageProps } from 'hydrant/react'
import { useState } from 'react'

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount((before) => before + 1)}>
      {`count: ${count}`}
    </button>
  )
}

export default function Index({ data }: PageProps<'/'>) {
  if (data.fail === 'render') throw new Error('soak: the component throws.')
  return (
    <>
      <h1>Soak</h1>
      <Counter />
    </>
  )
}
