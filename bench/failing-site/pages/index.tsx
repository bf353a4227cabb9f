import type { PageProps } from 'hydrant/react'
import { useState } from 'react'

function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button type="button" id="counter" onClick={() => setCount((n) => n + 1)}>
      {`count: ${count}`}
    </button>
  )
}

export default function Hello({ data }: PageProps<'/'>) {
  if (data.part === 'render') throw new Error('The component throws.')
  return (
    <>
      <title>Hello</title>
      <h1>Hello</h1>
      <Counter />
    </>
  )
}
